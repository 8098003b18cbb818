import { firstLiveDay, keyedRead, sumOfCounts, utcDayOf } from "@tally/contract";
import type { BoardReader, SqlReader, WatchSources } from "@tally/contract";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { dateAfter, endOf, type StoreClock } from "./business-day.ts";
import { ofAll } from "./live-chain.ts";
import { seriesOf } from "./series.ts";
import { listOf } from "./store.ts";
import { ifAvailable } from "./window-counts.ts";

/*
 * What the chain sold over time. Each minute a ranker notes what the boards of the live days show. A sample has sums since
 * the beginning of its business day, and replaces the one before it in the same quarter of an hour: its differences add
 * up to the board, also after a pause, a rebuild, a restart or two rankers at once, and a late sale or void is counted
 * when it is seen. A late write of an older sample is corrected by the next one.
 */

const [minuteMs, slotMs] = [60_000, 900_000];
const slotMax = 2 ** 32 - 1;
export const slotOf = (atMs: number): number => Math.floor(atMs / slotMs);
// A week, the day that some zone still has, and one to compare yesterday with.
const daysKept = 9;
export const itemsMax = 100;

type Figure = "net" | "gross" | "receipts" | "returned" | "discounts";

/** Amounts are × 10,000. receipts, sales that are not void, and returned, what refunds paid back, are counted of all
 * stores only, from the rows; discounts follow from returned. null: not kept, or not counted. */
export interface Sold extends Readonly<Partial<Record<Figure, number | null>>> {
  readonly quantity: number;
  readonly net: number | null;
}

/** `grewAtMs`: when the quantity was last seen to grow; 0: never. */
interface SoldByStore extends Sold {
  readonly grewAtMs: number;
}

export type Stores = ReadonlyMap<number, SoldByStore>;

/** Sums since the beginning of the day. */
export interface Sample extends Sold {
  readonly slot: number;
}

export const noSales: Sold = { quantity: 0, net: null, gross: null, receipts: null, returned: null, discounts: null };
const sumOfKnown = (one: number | null = null, other: number | null = null, times = 1): number | null =>
  other === null ? one : sumOfCounts(one ?? 0, times * other);
function ofEach(of: (name: Figure) => number | null) {
  const [net, gross, discounts] = [of("net"), of("gross"), of("discounts")];
  return { net, gross, discounts, receipts: of("receipts"), returned: of("returned") };
}
const add = (one: Sold, other: Sold): Sold => ({
  quantity: sumOfCounts(one.quantity, other.quantity),
  ...ofEach((name) => sumOfKnown(one[name], other[name])),
});
export const sumOf = (all: Iterable<Sold>): Sold => [...all].reduce(add, noSales);
/** Without the figures that the later one does not have. */
export const difference = (later: Sold, earlier: Sold): Sold => ({
  quantity: sumOfCounts(later.quantity, -earlier.quantity),
  ...ofEach((name) => ((later[name] ?? null) === null ? null : sumOfKnown(later[name], earlier[name], -1))),
});
/** With the figures of an earlier sample that it does not have. */
export const withKnown = (one: Sold, earlier: Sold): Sold => ({
  ...one,
  ...ofEach((name) => one[name] ?? earlier[name] ?? null),
});

/** What each store has sold of a day by the boards; undefined: they are not kept. */
export async function soldNow({ whole }: Pick<BoardReader, "whole">, day: number) {
  const { cells, asOf } = await whole(
    (["quantity", "netSales", "grossSales"] as const).map((by) => ofAll("members")(seriesOf(by, day))),
  );
  const [quantities, ...amounts] = cells;
  if (quantities === undefined) return undefined;
  const soldBy = (id: string): Sold => {
    const [net = null, gross = null] = amounts.map((of) => (of === undefined ? null : (of.get(id) ?? 0)));
    return { quantity: quantities.get(id) ?? 0, net, gross };
  };
  const stores = new Map<number, Sold>();
  for (const id of new Set(cells.flatMap((of) => Array.from(of?.keys() ?? [])))) stores.set(Number(id), soldBy(id));
  return { stores, asOf, none: soldBy("") };
}

type SoldNow = NonNullable<Awaited<ReturnType<typeof soldNow>>>;

const upsertSample = `
  INSERT INTO sales_samples
    (day, slot, quantity, net_sales, gross_sales, receipts, returned, discounts, stores, items) VALUES ?
  ON DUPLICATE KEY UPDATE quantity = VALUES(quantity), net_sales = VALUES(net_sales), gross_sales = VALUES(gross_sales),
  receipts = VALUES(receipts), returned = VALUES(returned), discounts = VALUES(discounts), stores = VALUES(stores),
  items = VALUES(items)`;
const deleteOld = "DELETE FROM sales_samples WHERE day < ?";
// A store may only have taken back what others sold.
const selectStores = ["purchases", "purchase_corrections"]
  .map((table) => `SELECT DISTINCT store_id AS id FROM ${table} FORCE INDEX (store_day)`)
  .join(" UNION ");
const selectReceipts = `
  SELECT COUNT(*) - (SELECT COUNT(*) FROM purchase_corrections FORCE INDEX (store_day)
    WHERE store_id IN (?) AND counted_on = ? AND kind = 'void') AS receipts
  FROM purchases FORCE INDEX (store_day) WHERE store_id IN (?) AND purchased_on = ?`;
const selectReturned = `
  SELECT CAST(COALESCE(-SUM(net), 0) AS SIGNED) AS returned FROM purchase_corrections FORCE INDEX (store_day),
    JSON_TABLE(items, '$[*]' COLUMNS (net BIGINT PATH '$[2]')) AS line
  WHERE store_id IN (?) AND counted_on = ? AND kind = 'refund'`;
const storesOfStatement = 500;
/** Ids of stores, in parts for one statement each. */
export const partsOf = (ids: readonly number[]) =>
  Map.groupBy(ids, (_, at) => Math.floor(at / storesOfStatement)).values();
// More than that takes too long for each minute, and is counted once in a quarter of an hour.
const receiptsOfMinute = 500_000;

/** What the rows of a day say: the sales that are not void, counted in their index, and what refunds paid back. */
async function countedOf(
  rows: SqlReader,
  day: number,
  ids: readonly number[],
  { gross, net }: Readonly<Record<"gross" | "net", number | null>>,
) {
  let [receipts, returned] = [0, 0];
  for (const some of partsOf(ids)) {
    const [sold] = await rows.query<{ receipts: number }>(selectReceipts, [some, day, some, day]);
    const [back] = await rows.query<{ returned: number }>(selectReturned, [some, day]);
    receipts += sold?.receipts ?? 0;
    returned = sumOfCounts(returned, back?.returned ?? 0);
  }
  const discounts = gross === null || net === null ? null : gross - returned - net;
  return { receipts, returned, discounts };
}

type Known = Readonly<Record<Exclude<Figure, "net">, number | null>>;
const unknown: Known = { gross: null, receipts: null, returned: null, discounts: null };

/** Notes what the boards of the live days show, and deletes old samples. False: the boards cannot be read now.
 * `lookedAtMs`: the last look; 0: none. */
export async function sample(
  { boards, rows, nowMs, transaction }: WatchSources,
  clock: StoreClock,
  lookedAtMs = 0,
): Promise<boolean> {
  const today = utcDayOf(nowMs);
  const samples: (readonly (number | string | null)[])[] = [];
  let isKept = false;
  const ids = (await rows.query<{ id: number }>(selectStores)).map(({ id }) => id);
  for (let day = firstLiveDay(nowMs); day <= dateAfter(today, 1); day = dateAfter(day, 1)) {
    const now = await ifAvailable(soldNow(boards, day), minuteMs);
    // After an upgrade, days before the first complete one are not kept.
    if (now === undefined) continue;
    isKept = true;
    const before = await storesAt(rows, day);
    const endMs = endOf(clock, day);
    // A day that has ended since the last look grew until then. Before the first look it is not known when.
    const grewAtMs = endMs > nowMs || lookedAtMs >= endMs ? nowMs : lookedAtMs && endMs;
    const { stores, hasChanged } = grown(now, before?.stores, grewAtMs);
    // After a clock that was ahead: the last sample of a day is always the newest.
    const slotBefore = before?.slot ?? 0;
    const slot = Math.max(slotOf(nowMs), slotBefore);
    const known: Known = before ?? unknown;
    // Many are counted when a quarter begins, once more in the one after the last change.
    const isFirstOfSlot = hasChanged ? slot > slotBefore : slot === slotBefore + 1 && nowMs % slotMs < 2 * minuteMs;
    const isDue = (known.receipts ?? 0) <= receiptsOfMinute || isFirstOfSlot;
    const { quantity, net } = sumOf(stores.values());
    const { gross = null } = sumOf([...now.stores.values(), now.none]);
    const { receipts, returned, discounts } = isDue ? await countedOf(rows, day, ids, { gross, net }) : known;
    const counted = [gross, receipts, returned].map((one) => one ?? 0);
    const isKnown = [known.gross, known.receipts, known.returned].every((one, at) => (one ?? 0) === counted[at]);
    if (!hasChanged && isKnown) continue;
    const { entries } = await boards.top(ofAll("keys")(seriesOf("quantity", day)), itemsMax);
    const items = JSON.stringify(entries.map(({ member, count }) => [Number(member), count]));
    samples.push([day, slot, quantity, net, gross, receipts, returned, discounts, textOf(stores), items]);
  }
  if (!isKept) return false;
  // By the earlier of two clocks: samples that are deleted do not come back.
  const oldest = dateAfter(utcDayOf(Math.min(nowMs, Date.now())), -daysKept);
  await transaction(async (tx) => {
    if (samples.length > 0) await tx.upsert(upsertSample, samples);
    await tx.execute(deleteOld, [oldest]);
  });
  return true;
}

/** The next sample. A store that was taken back to nothing is on no board. */
function grown({ stores, none }: SoldNow, before: Stores = new Map(), nowMs: number) {
  const next = new Map<number, SoldByStore>();
  let hasChanged = false;
  for (const id of new Set([...before.keys(), ...stores.keys()])) {
    const [was, is] = [before.get(id), stores.get(id) ?? none];
    const hasGrown = is.quantity > (was?.quantity ?? 0);
    if (was === undefined || hasGrown || is.quantity !== was.quantity || is.net !== was.net) hasChanged = true;
    next.set(id, { ...is, grewAtMs: hasGrown ? nowMs : (was?.grewAtMs ?? 0) });
  }
  return { stores: next, hasChanged };
}

const textOf = (stores: Stores): string =>
  JSON.stringify(Array.from(stores, ([id, { quantity, net, grewAtMs }]) => [id, quantity, net, grewAtMs]));

const isStores = Compile(
  Type.Array(Type.Tuple([Type.Integer(), Type.Integer(), Type.Union([Type.Integer(), Type.Null()]), Type.Integer()])),
);
const storesOf = (text: string): Stores =>
  new Map(listOf(isStores, text).map(([id, quantity, net, grewAtMs]) => [id, { quantity, net, grewAtMs }]));

const selectUntil =
  "SELECT slot, gross_sales AS gross, receipts, returned, discounts, stores FROM sales_samples WHERE day = ? AND slot <= ? ORDER BY slot DESC LIMIT ?";

const samplesOf = (rows: readonly (Known & Pick<Sample, "slot"> & { readonly stores: string })[]) =>
  rows.map(({ stores, ...row }) => ({ ...row, stores: storesOf(stores) })).toReversed();

/** The last sample of a day up to a quarter of an hour. */
export async function storesAt(rows: SqlReader, day: number, slot = slotMax) {
  return samplesOf(await rows.query(selectUntil, [day, slot, 1]))[0];
}

/** The last two samples of a day up to a quarter of an hour. */
export const lastTwo = keyedRead({
  select: selectUntil,
  values: ([day, slot]: readonly [day: number, slot: number]) => [day, slot, 2],
  ofRows: samplesOf,
});

/** All samples of a day. */
export const samplesOfDay = keyedRead({
  select: `SELECT slot, quantity, net_sales AS net, gross_sales AS gross, receipts, returned, discounts
    FROM sales_samples WHERE day = ? ORDER BY slot`,
  values: ([day]: readonly [day: number]) => [day],
  ofRows: (rows: readonly Sample[]) => rows,
});

/** The sums at a time, from samples in their order. Within a quarter of an hour they are in proportion. */
export function soldAt<S extends { readonly slot: number }>(
  samples: readonly S[],
  atMs: number,
  of: (one: S) => Sold,
): Sold {
  const at = samples.findLastIndex(({ slot }) => slot <= slotOf(atMs));
  const [last, before] = [samples[at], samples[at - 1]];
  if (last === undefined) return noSales;
  if (last.slot < slotOf(atMs)) return of(last);
  const growth = difference(of(last), before === undefined ? noSales : of(before));
  // To the minute and the cent: a live view is sent what has changed.
  const part = Math.floor((atMs % slotMs) / minuteMs) / 15;
  // Many are those of the beginning, today as then.
  const isMany = (of(last).receipts ?? 0) > receiptsOfMinute;
  const ofAmount = isMany ? 0 : 100;
  const partOf = { net: 100, gross: 100, receipts: isMany ? 0 : 1, returned: ofAmount, discounts: ofAmount };
  const within = {
    quantity: Math.round(growth.quantity * part),
    ...ofEach((name) => {
      const [figure = null, unit] = [growth[name], partOf[name]];
      return unit === 0 ? figure : figure && Math.round((figure * part) / unit) * unit;
    }),
  };
  return before === undefined ? within : add(of(before), within);
}
