import { bytesOfEventId, fieldsOfEvent, InvalidInput, queryRoute } from "@tally/contract";
import type { Sources, SqlParameter, SqlReader } from "@tally/contract";
import { Type, type Static, type TObject, type TProperties, type TSchema } from "typebox";
import type { PurchaseEvent } from "./event.ts";
import { exampleItem, items } from "./items.ts";
import { ShownItem } from "./lines.ts";
import { fields } from "./routes.ts";
import { CorrectionOfSale, correctionOfSale, LineTakenBack } from "./shown-correction.ts";
import { correctionTable, purchaseTable, readCorrections } from "./store.ts";
import { closed, ids, parseTopLimit, TopLimit, wholeNumbers } from "../values.ts";
import { DateText, parseCalendarDate } from "./calendar-date.ts";

/** In one response: 1000 purchases of 500 items would block the gateway's thread for seconds. */
const listedItemsMax = 10_000;

export const ShownPurchase = Type.Object({
  eventID: Type.String(),
  storeID: Type.Integer(),
  custID: Type.Integer(),
  date: Type.String(),
  items: Type.Array(ShownItem),
  soldAt: Type.Optional(Type.String()),
} satisfies Record<"eventID" | keyof typeof fields, TSchema>);
type ShownPurchase = Static<typeof ShownPurchase>;

const exampleOfShown: ShownPurchase = {
  eventID: "55dd47d6-d9ef-8152-b012-19d6cdd9449d",
  storeID: 7,
  custID: 7001,
  date: "20261121",
  items: [{ ItemID: 85571, numberOfItems: 2, unitPrice: "1.9900", discountAmount: "0.5000" }],
  soldAt: "2026-11-21T09:29:58.000Z",
};

export const shownPurchase = (event: PurchaseEvent): ShownPurchase => ({
  eventID: event.id,
  ...fieldsOfEvent(fields, event),
});

/** Lines with the names of the items that are registered. */
export const named = <P extends TProperties>({ properties }: TObject<P>) => ({
  items: Type.Array(Type.Object({ ...properties, name: Type.Optional(Type.String()) })),
});
export const NamedPurchase = Type.Object({ ...ShownPurchase.properties, ...named(ShownItem) });
export const exampleOfNamed = {
  ...exampleOfShown,
  items: exampleOfShown.items.map((item) => Object.assign({}, item, { name: exampleItem.name })),
};

interface Lines {
  readonly items: readonly { readonly ItemID: number }[];
}

/** Adds the names in place: the lines were made for this response. */
export async function addNames(sources: Sources, shown: readonly Lines[]): Promise<void> {
  const lines = shown.flatMap((one) => one.items.map((line) => ({ id: line.ItemID, line })));
  const names = await items.namesOf(sources, lines);
  for (const [at, { line }] of lines.entries()) Object.assign(line, names[at]);
}

interface CountedRow {
  readonly itemCount: number;
}

/** The first rows, up to 10,000 items together. At least one: a purchase has 500 at most. */
function upToItemsMax<T extends CountedRow>(rows: readonly T[]) {
  let count = 0;
  const end = rows.findIndex(({ itemCount }) => (count += itemCount) > listedItemsMax);
  return (end < 0 ? rows : rows.slice(0, end)).map((row) => ({ row, event: purchaseTable.eventOfRow(row) }));
}

const pageLimits = wholeNumbers(1, 1000);

const PageQuery = closed({
  storeID: Type.Optional(ids.Text),
  date: Type.Optional(DateText),
  customer: Type.Optional(ids.Text),
  limit: Type.Optional(pageLimits.Text),
  cursor: Type.Optional(
    Type.String({ pattern: "^[0-9]{8}-[0-9a-f]{32}$", expected: "the nextCursor of an earlier response" }),
  ),
});

/** A page starts after the last row of the previous one, so its cost does not depend on its number. */
export const listPurchases = queryRoute({
  path: "/purchases",
  summary: "rows, page by page, 10 by default",
  description: "Send `nextCursor` as `cursor` to get the next page. A `date` needs a `storeID` or a `customer`",
  query: PageQuery,
  response: Type.Object({ purchases: Type.Array(NamedPurchase), nextCursor: Type.Union([Type.String(), Type.Null()]) }),
  storeOf: ({ query }) => (query.storeID === undefined ? undefined : ids.parse("storeID", query.storeID)),
  async respond({ query }, sources) {
    const limit = pageLimits.parse("limit", query.limit ?? 10);
    const { sql, values } = selectPurchases(query);
    // One more row shows whether there is a next page.
    const found = await sources.rows.query<CountedRow>(sql, [...values, limit + 1]);
    const page = upToItemsMax(found.slice(0, limit)).map(({ event }) => event);
    const purchases = page.map(shownPurchase);
    await addNames(sources, purchases);
    const last = page.at(-1);
    const isComplete = last === undefined || found.length === page.length;
    return { purchases, nextCursor: isComplete ? null : `${last.date}-${last.id.replaceAll("-", "")}` };
  },
  examples: {
    "the purchases of a store": {
      query: { storeID: "7" },
      response: { purchases: [exampleOfNamed], nextCursor: null },
    },
  },
});

/** One statement, because two may read from servers of which one is behind. The items are NULL beyond a page's limit.
 * Every combination of filters reads one index in its order: a store without a date by (date, id), all others by id. A
 * date alone has no index and would read the whole table: it is rejected. */
function selectPurchases({ storeID, customer, date, cursor }: Static<typeof PageQuery>): Condition {
  const byDate = storeID !== undefined && customer === undefined && date === undefined;
  const conditions: Condition[] = [];
  if (storeID !== undefined) conditions.push({ sql: "store_id = ?", values: [ids.parse("storeID", storeID)] });
  if (customer !== undefined) conditions.push({ sql: "customer_id = ?", values: [ids.parse("customer", customer)] });
  if (date !== undefined) conditions.push({ sql: "purchased_on = ?", values: [parseCalendarDate("date", date)] });
  if (date !== undefined && storeID === undefined && customer === undefined)
    throw new InvalidInput("storeID", "a storeID or a customer beside a date", undefined);
  if (cursor !== undefined) conditions.push(afterCursor(cursor, byDate));
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map((condition) => condition.sql).join(" AND ")}`;
  const order = byDate ? "purchased_on, id" : "id";
  const itemsUpToRow = `SUM(JSON_LENGTH(items)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
  const lines = `IF(${itemsUpToRow} <= ${listedItemsMax}, CAST(items AS CHAR), NULL)`;
  return {
    sql: `
      SELECT ${purchaseTable.selectList({ lines })}, JSON_LENGTH(items) AS itemCount
      FROM (SELECT * FROM purchases ${where} ORDER BY ${order} LIMIT ?) AS page
      ORDER BY ${order}`,
    values: conditions.flatMap((condition) => condition.values),
  };
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SqlParameter[];
}

function afterCursor(cursor: string, byDate: boolean): Condition {
  const date = parseCalendarDate("cursor", cursor.slice(0, 8));
  const id = Buffer.from(cursor.slice(9), "hex");
  return byDate
    ? { sql: "(purchased_on > ? OR (purchased_on = ? AND id > ?))", values: [date, date, id] }
    : { sql: "id > ?", values: [id] };
}

const searchedMax = 5000;

// The id of a purchase with an Idempotency-Key has no time, so the time is that of its batch in the ledger. No index
// leads from a store to its newest batches, and one would cost every purchase. So this reads the purchases of the store
// with the newest dates (index store_day, backwards), and looks up their batches: about 5 µs for each. The items come
// as text, so that those beyond the limit are not parsed. The date beside the id names the partition of a partitioned
// table.
const selectLatest = `
  SELECT ${purchaseTable.selectList({ lines: "CAST(items AS CHAR)" })}, JSON_LENGTH(items) AS itemCount,
    latest.storedAt, latest.searched
  FROM (
    SELECT newest.newest_id, newest.newest_on, batches.stored_at AS storedAt, COUNT(*) OVER () AS searched
    FROM (
      SELECT id AS newest_id, purchased_on AS newest_on, producer, sequence FROM purchases
      WHERE store_id = ? ORDER BY purchased_on DESC, id DESC LIMIT ${searchedMax}
    ) AS newest
    LEFT JOIN batches ON batches.producer = newest.producer AND batches.sequence = newest.sequence
    ORDER BY storedAt DESC, newest_on DESC, newest_id DESC LIMIT ?
  ) AS latest
  JOIN purchases ON id = newest_id AND purchased_on = newest_on
  ORDER BY latest.storedAt DESC, purchased_on DESC, id DESC`;

interface LatestRow extends CountedRow {
  /** Null: its batch is folded, so it arrived long ago. */
  readonly storedAt: number | null;
  /** Among how many purchases these were found. */
  readonly searched: number;
}

// Searches the newest dates, as selectLatest does. The store of a refund may differ from that of its purchase.
const selectRefunds = `
  SELECT ${correctionTable.selectList()}, storedAt FROM (
    SELECT *, stored_at AS storedAt FROM purchase_corrections
    WHERE store_id = ? AND kind = 'refund' ORDER BY counted_on DESC, id DESC LIMIT ${searchedMax}
  ) AS newest ORDER BY storedAt DESC, id DESC LIMIT ?`;

async function readRefunds(rows: SqlReader, storeID: number, limit: number) {
  const refunds = await rows.query<Pick<LatestRow, "storedAt">>(selectRefunds, [storeID, limit]);
  return refunds.map((row) =>
    Object.assign(correctionOfSale(correctionTable.eventOfRow(row)), arrivalOf(row.storedAt)),
  );
}

export const arrivalOf = (storedAt: number | null) =>
  storedAt === null ? {} : { arrivedAt: new Date(storedAt).toISOString() };

/** What was taken back of purchases, by their ids; one statement. */
async function readReturns(rows: SqlReader, saleIds: readonly string[]) {
  const corrections = saleIds.length === 0 ? [] : (await readCorrections(rows, saleIds.map(bytesOfEventId))).values();
  const returns = new Map<string, { voided?: true; refundedItems?: number }>();
  for (const { kind, saleId, lines } of corrections) {
    const refunded = lines.reduce((sum, [, quantity]) => sum - quantity, returns.get(saleId)?.refundedItems ?? 0);
    returns.set(saleId, kind === "void" ? { voided: true } : { refundedItems: refunded });
  }
  return returns;
}

/** The ids of purchases with an Idempotency-Key have no order within a date. So the newest purchases can be missing
 * when a day has more sales than the search reads. */
export const latestPurchases = queryRoute({
  path: "/purchases/latest",
  summary: "the purchases and the refunds of a store that were stored last, 20 of each by default",
  description:
    "Searches the 5,000 purchases with the newest dates. `isComplete` false: the store has more, and a purchase that arrived later may be missing. Without `arrivedAt`: it arrived long ago, at least a day unless months were removed since; these come last. Ends at 10,000 items",
  query: closed({ storeID: ids.Text, limit: TopLimit }),
  response: Type.Object({
    purchases: Type.Array(
      Type.Object({
        ...NamedPurchase.properties,
        arrivedAt: Type.Optional(Type.String()),
        voided: Type.Optional(Type.Literal(true)),
        refundedItems: Type.Optional(Type.Integer()),
      }),
    ),
    isComplete: Type.Boolean(),
    refunds: Type.Array(
      Type.Object({ ...CorrectionOfSale.properties, ...named(LineTakenBack), arrivedAt: Type.Optional(Type.String()) }),
    ),
  }),
  storeOf: ({ query }) => ids.parse("storeID", query.storeID),
  async respond({ query: { storeID, limit = "20" } }, sources) {
    const { rows } = sources;
    const asked = [ids.parse("storeID", storeID), parseTopLimit(limit)] as const;
    const found = await rows.query<LatestRow>(selectLatest, asked);
    const shown = upToItemsMax(found);
    const returns = await readReturns(
      rows,
      shown.map(({ event }) => event.id),
    );
    const purchases = shown.map(({ row: { storedAt }, event }) =>
      Object.assign(shownPurchase(event), arrivalOf(storedAt), returns.get(event.id)),
    );
    const isComplete = (found[0]?.searched ?? 0) < searchedMax;
    const refunds = await readRefunds(rows, ...asked);
    await addNames(sources, [...purchases, ...refunds]);
    return { purchases, isComplete, refunds };
  },
  examples: {
    "a store": {
      query: { storeID: "7", limit: "5" },
      response: {
        purchases: [{ ...exampleOfNamed, arrivedAt: "2026-11-21T09:30:00.087Z" }],
        isComplete: true,
        refunds: [],
      },
    },
  },
});
