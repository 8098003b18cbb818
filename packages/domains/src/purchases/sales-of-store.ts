import { setImmediate } from "node:timers/promises";
import { eventIdOfBytes, eventTimeOf, NotFound, queryRoute, type SqlReader } from "@tally/contract";
import { Type } from "typebox";
import { closed, ids } from "../values.ts";
import { hourOfDay, utcClock, type StoreClock } from "./business-day.ts";
import { shownCurrency } from "./currency.ts";
import { HoursOfSales, type Totals } from "./hours-of-sales.ts";
import { moneyText } from "./money.ts";
import { dayOf, DayText, registeredClock } from "./registry.ts";
import { countedLines } from "./store.ts";
import { StoreParams } from "./best-sellers.ts";
import { exampleStore } from "./stores.ts";

interface SaleRow {
  readonly id: Buffer;
  readonly items: string;
  readonly atMs: number | null;
}

interface CorrectionRow extends SaleRow {
  readonly kind: "void" | "refund";
  readonly saleId: Buffer;
}

// An id made of a key has no time of arrival. Its batch has, until it is folded.
const selectSales = `
  SELECT id, CAST(items AS CHAR) AS items, COALESCE(sold_at, IF(ORD(SUBSTR(id, 7, 1)) < 128, NULL, (
    SELECT stored_at FROM batches AS own WHERE (own.producer, own.sequence) = (purchases.producer, purchases.sequence)
  ))) AS atMs
  FROM purchases FORCE INDEX (store_day)
  WHERE store_id = ? AND purchased_on = ? AND id > ? ORDER BY id LIMIT ?`;
const selectCorrections = `
  SELECT id, CAST(items AS CHAR) AS items, stored_at AS atMs, kind, sale_id AS saleId
  FROM purchase_corrections FORCE INDEX (store_day)
  WHERE store_id = ? AND counted_on = ? AND id > ? ORDER BY id LIMIT ?`;
const selectRemoved = "SELECT 1 FROM retention WHERE domain = 'purchases' AND retained_from > ?";

const rowsOfPortion = 1000;
const linesOfTurn = 5000;

/** Reads the rows of a store and a business day in portions. Nothing of a void sale is counted; a refund counts when it
 * was stored. */
async function hoursOfSales(rows: SqlReader, storeID: number, date: number, clock: StoreClock): Promise<HoursOfSales> {
  const sales = new HoursOfSales(clock, date);
  const voided = new Set<string>();
  let lines = 0;
  const add = async (items: string, atMs: number | null, receipts: number): Promise<void> => {
    const counted = countedLines(items);
    sales.add(atMs, counted, receipts);
    if ((lines += counted.length) < linesOfTurn) return;
    lines = 0;
    await setImmediate();
  };
  // First, because a void is in the store and on the day of its sale.
  for await (const portion of portionsOf<CorrectionRow>(rows, selectCorrections, [storeID, date]))
    for (const { items, atMs, kind, saleId } of portion)
      if (kind === "void") voided.add(eventIdOfBytes(saleId));
      else await add(items, atMs, 0);
  for await (const portion of portionsOf<SaleRow>(rows, selectSales, [storeID, date]))
    for (const { items, atMs, ...row } of portion) {
      const id = eventIdOfBytes(row.id);
      if (!voided.has(id)) await add(items, atMs ?? eventTimeOf(id) ?? null, 1);
    }
  return sales;
}

async function* portionsOf<Row extends SaleRow>(rows: SqlReader, select: string, storeDay: readonly number[]) {
  for (let portion, after: Buffer = Buffer.alloc(16); portion === undefined || portion.length === rowsOfPortion;) {
    portion = await rows.query<Row>(select, [...storeDay, after, rowsOfPortion]);
    yield portion;
    after = portion.at(-1)?.id ?? after;
  }
}

const shownTotals = {
  quantity: Type.Integer(),
  grossSales: Type.String(),
  discounts: Type.String(),
  returns: Type.String(),
  netSales: Type.String(),
  receipts: Type.Integer(),
};
const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const shown = ({ quantity, grossSales, returns, netSales, receipts }: Totals) => ({
  quantity,
  grossSales: moneyText(grossSales),
  discounts: moneyText(grossSales - returns - netSales),
  returns: moneyText(returns),
  netSales: moneyText(netSales),
  receipts,
});

const shownDay = (storeID: number, date: number, zone: string, currency: string | undefined, sales: HoursOfSales) => ({
  storeID,
  date: String(date),
  zone,
  ...shown(sales.day),
  ...(currency !== undefined && { currency }),
  hours: sales.hours.map(({ from, ...totals }) => ({
    ...(from === null ? { hour: null, offset: null } : hourOfDay(from)),
    ...shown(totals),
  })),
});

const exampleSales = new HoursOfSales(exampleStore, 20261121);
exampleSales.add(Date.parse("2026-11-21T09:29:58Z"), [[85571, 2, 19_900, 5000]], 1);

export const salesOfDay = queryRoute({
  path: "/stores/:storeID/sales",
  summary: "what a store sold on a business day, today by default, and in each of its local hours",
  description:
    "Counted from the rows. A sale is in the hour of its `soldAt`, else of its arrival; a time outside of the day counts in the hour next to it. `hour` and its `offset` from UTC are local; null, last: sales without `soldAt`, sent with a key and stored long ago, whose hour is not known. A void takes back its sale in the hour of the sale, a refund counts in `quantity` and `returns` of the hour in which it was stored. `grossSales` less `discounts` and `returns` is `netSales`. `receipts`: the sales that are not void. 404 for a day whose month was removed",
  params: StoreParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  query: closed({ date: Type.Optional(DayText) }),
  mayMiss: true,
  response: Type.Object({
    storeID: Type.Integer(),
    date: Type.String(),
    zone: Type.String(),
    ...shownTotals,
    currency: Type.Optional(Type.String()),
    hours: Type.Array(Type.Object({ hour: TextOrNull, offset: TextOrNull, ...shownTotals })),
  }),
  async respond({ params, query: { date: text = "today" } }, sources) {
    const storeID = ids.parse("storeID", params.storeID);
    const clock = (await registeredClock(sources, storeID)) ?? utcClock;
    const date = dayOf(clock, "date", text);
    if ((await sources.rows.query(selectRemoved, [date])).length > 0)
      throw new NotFound("date", "a day whose month was not removed", text);
    const { currency } = await shownCurrency(sources);
    return shownDay(storeID, date, clock.zone, currency, await hoursOfSales(sources.rows, storeID, date, clock));
  },
  examples: {
    "a day": {
      params: { storeID: String(exampleStore.storeID) },
      query: { date: "20261121" },
      response: shownDay(exampleStore.storeID, 20261121, exampleStore.zone, exampleStore.currency, exampleSales),
    },
  },
});
