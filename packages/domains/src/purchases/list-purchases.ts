import { InvalidInput, queryRoute, type SqlParameter } from "@tally/contract";
import { Type } from "typebox";
import { ids, wholeNumbers } from "../request-values.ts";
import { DateText, parseCalendarDate } from "./calendar-date.ts";
import {
  exampleOfShown,
  listedItemsMax,
  ShownPurchase,
  shownPurchase,
  upToItemsMax,
  type CountedRow,
} from "./shown-purchase.ts";
import { store } from "./store.ts";

const pageLimits = wholeNumbers(1, 1000);

/**
 * Rows, page by page. A page starts after the last row of the previous one, so its cost does not depend on its number.
 */
export const listPurchases = queryRoute({
  path: "/purchases",
  summary: "rows, page by page, 10 by default",
  description: "Send `nextCursor` as `cursor` to get the next page. A `date` needs a `storeID` or a `customer`",
  params: Type.Object({}),
  query: Type.Object(
    {
      storeID: Type.Optional(ids.Text),
      date: Type.Optional(DateText),
      customer: Type.Optional(ids.Text),
      limit: Type.Optional(pageLimits.Text),
      cursor: Type.Optional(
        Type.String({ pattern: "^[0-9]{8}-[0-9a-f]{32}$", expected: "the nextCursor of an earlier response" }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({
    purchases: Type.Array(ShownPurchase),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  }),
  storeOf: ({ query }) => (query.storeID === undefined ? undefined : ids.parse("storeID", query.storeID)),
  async respond({ query }, { rows }) {
    const limit = pageLimits.parse("limit", query.limit ?? 10);
    const { sql, values } = selectPurchases({
      storeId: query.storeID === undefined ? undefined : ids.parse("storeID", query.storeID),
      customerId: query.customer === undefined ? undefined : ids.parse("customer", query.customer),
      date: query.date === undefined ? undefined : parseCalendarDate("date", query.date),
      after: query.cursor,
    });
    // One more row shows whether there is a next page.
    const found = await rows.query<CountedRow>(sql, [...values, limit + 1]);
    const page = upToItemsMax(found.slice(0, limit)).map(({ event }) => event);
    const last = page.at(-1);
    const isComplete = last === undefined || found.length === page.length;
    return {
      purchases: page.map(shownPurchase),
      nextCursor: isComplete ? null : `${last.date}-${last.id.replaceAll("-", "")}`,
    };
  },
  examples: {
    "the purchases of a store": {
      query: { storeID: "7" },
      response: {
        purchases: [exampleOfShown],
        nextCursor: null,
      },
    },
  },
});

interface Filter {
  readonly storeId: number | undefined;
  readonly customerId: number | undefined;
  readonly date: number | undefined;
  readonly after: string | undefined;
}

/**
 * One statement, because two may read from servers of which one is behind. The items come as text, and NULL beyond a
 * page's limit. Every combination of filters reads one index in its order: a store without a date by (date, id), all
 * others by id. A date alone has no index and would read the whole table: it is rejected.
 */
function selectPurchases(filter: Filter): { sql: string; values: readonly SqlParameter[] } {
  const { storeId, customerId, date, after } = filter;
  if (date !== undefined && storeId === undefined && customerId === undefined) {
    throw new InvalidInput("storeID", "a storeID or a customer beside a date", undefined);
  }
  const byDate = storeId !== undefined && customerId === undefined && date === undefined;
  const conditions = [
    ...(storeId === undefined ? [] : [{ sql: "store_id = ?", values: [storeId] }]),
    ...(customerId === undefined ? [] : [{ sql: "customer_id = ?", values: [customerId] }]),
    ...(date === undefined ? [] : [{ sql: "purchased_on = ?", values: [date] }]),
    ...(after === undefined ? [] : [afterCursor(after, byDate)]),
  ];
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map((condition) => condition.sql).join(" AND ")}`;
  const order = byDate ? "purchased_on, id" : "id";
  const itemsUpToRow = `SUM(JSON_LENGTH(items)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
  const lines = `IF(${itemsUpToRow} <= ${listedItemsMax}, CAST(items AS CHAR), NULL)`;
  return {
    sql: `
      SELECT ${store.selectList({ lines })}, JSON_LENGTH(items) AS itemCount
      FROM (SELECT * FROM purchases ${where} ORDER BY ${order} LIMIT ?) AS page
      ORDER BY ${order}`,
    values: conditions.flatMap((condition) => condition.values),
  };
}

function afterCursor(cursor: string, byDate: boolean): { sql: string; values: (number | Buffer)[] } {
  const date = parseCalendarDate("cursor", cursor.slice(0, 8));
  const id = Buffer.from(cursor.slice(9), "hex");
  return byDate
    ? { sql: "(purchased_on > ? OR (purchased_on = ? AND id > ?))", values: [date, date, id] }
    : { sql: "id > ?", values: [id] };
}
