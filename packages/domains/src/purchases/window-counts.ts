import { firstLiveDay, InvalidInput, keyedRead, sliceOf, type Sources } from "@tally/contract";
import { topLimitMax, topOf } from "../values.ts";
import { dateAfter } from "./business-day.ts";
import { Counts, withRanks, type Count, type CountsRow, type Ranked } from "./counts.ts";
import { itemsOfStore, seriesOf, storesOfItem, type Measure } from "./series.ts";
import type { Window } from "./window.ts";

/** The items of a store are ranked, or the stores of an item. */
export type Owner = { readonly storeID: number } | { readonly itemID: number };

/*
 * A window is counted from the folded counts of its series and from the rows of the batches in the ledger; days before
 * `completeFrom`, of which the folded series lack a part, from all rows. All is read in one statement, so that a batch
 * that is folded meanwhile counts once.
 */
type Key = readonly [owner: number, by: Measure, from: number, to: number, completeFrom: number, ...series: string[]];

const tables = [
  ["purchases", "purchased_on"],
  ["purchase_corrections", "counted_on"],
] as const;
const inLedger = "JOIN batches USING (producer, sequence) WHERE domain = 'purchases'";
const folded = (index: string): string =>
  `1 AS isFolded FROM folded_series FORCE INDEX (${index}) WHERE domain = 'purchases' AND series IN (?)`;

const countsOfStore = keyedRead({
  select: [
    `SELECT NULL AS id, CAST(counts AS CHAR) AS counts, ${folded("PRIMARY")} AND member = ?`,
    ...tables.flatMap(([table, day]) => [
      `SELECT NULL, CAST(items AS CHAR), 0 FROM ${table} ${inLedger} AND store_id = ? AND ${day} BETWEEN ? AND ?`,
      `SELECT NULL, CAST(items AS CHAR), 0 FROM ${table} WHERE store_id = ? AND ${day} >= ? AND ${day} < ?`,
    ]),
  ].join("\nUNION ALL\n"),
  values([store, , from, to, completeFrom, ...series]: Key) {
    const ofRows = [store, completeFrom, to, store, from, completeFrom];
    return [series, store, ...ofRows, ...ofRows];
  },
  keysMax: 1,
  ofRows: (rows: readonly CountsRow[], [, by]) => new Counts().add(rows, by),
});

// Rows without the item are not sent. MySQL writes [[42, 1], MariaDB [[42,1].
const countsOfItem = keyedRead({
  select: [
    `SELECT member AS id, CAST(counts AS CHAR) AS counts, ${folded("key_slice")} AND slice = ? AND counts LIKE ?`,
    ...tables.map(
      ([table, day]) => `
      SELECT store_id, CAST(items AS CHAR), 0 FROM ${table} ${inLedger} AND ${day} BETWEEN ? AND ? AND items LIKE ?`,
    ),
  ].join("\nUNION ALL\n"),
  values([item, , , to, completeFrom, ...series]: Key) {
    // All of them have the same number of slices.
    const [slice, line] = [sliceOf(series[0] ?? "", item), `%[${item},%`];
    const ofRows = [completeFrom, to, line];
    return [series, slice, line, ...ofRows, ...ofRows];
  },
  keysMax: 1,
  ofRows: (rows: readonly CountsRow[], [item, by]) => new Counts().add(rows, by, item),
});

interface Kept {
  /** Days from this one on are complete in the folded series; 0: all, and all time. */
  readonly seriesFrom: number;
  /** Older sales were removed; null: none. */
  readonly retainedFrom: number | null;
}
const selectKept = `
  SELECT series_from AS seriesFrom, (
    SELECT CAST(DATE_FORMAT(retained_from, '%Y%m%d') AS UNSIGNED) FROM retention WHERE domain = 'purchases'
  ) AS retainedFrom FROM ledger_folds WHERE domain = 'purchases'`;

// No row has an earlier or a later day.
const allDays = [10_000_101, 99_991_230] as const;
const noSeries = "none";

/** Exact, as of one moment. Throws InvalidInput for days that are not kept. */
async function countsIn({ rows, read }: Sources, owner: Owner, { by, days }: Window): Promise<Counts> {
  const [kept] = await rows.query<Kept>(selectKept);
  const { seriesFrom, retainedFrom } = kept ?? { seriesFrom: 0, retainedFrom: null };
  const [from, to] = days === undefined ? allDays : [days[0] ?? 0, days.at(-1) ?? 0];
  const isComplete = seriesFrom <= from || (days === undefined && by === "quantity");
  const keptFrom = "storeID" in owner ? Math.min(seriesFrom, retainedFrom ?? 0) : seriesFrom;
  if (!isComplete && from < keptFrom) {
    const expected = `${keptFrom} or later: counts by day are kept from ${keptFrom} on`;
    throw new InvalidInput(from === to ? "date" : "from", expected, days && String(from));
  }
  const nextDay = dateAfter(to, 1);
  const completeFrom = isComplete ? from : days === undefined ? nextDay : Math.min(seriesFrom, nextDay);
  const series =
    days === undefined
      ? [isComplete ? seriesOf(by) : noSeries]
      : days.map((day) => (day < completeFrom ? noSeries : seriesOf(by, day)));
  return "storeID" in owner
    ? read(countsOfStore, [owner.storeID, by, from, to, completeFrom, ...series])
    : read(countsOfItem, [owner.itemID, by, from, to, completeFrom, ...series]);
}

/** The first 100 or fewer and their age, as kept live; undefined: a window that is not one series, or is too old. */
async function topOfBoard({ boards }: Sources, owner: Owner, { by, days }: Window, limit: number) {
  const [day, more] = days ?? [];
  const isOld = day !== undefined && day < firstLiveDay(Date.now());
  if (limit > topLimitMax || more !== undefined || isOld) return undefined;
  const series = seriesOf(by, day);
  const board = "storeID" in owner ? itemsOfStore(owner.storeID, series) : storesOfItem(owner.itemID, series);
  return topOf(boards, board, limit, (id, count): Count => ({ id: Number(id), count }));
}

const now = (): string => new Date().toISOString();

/** The highest counts after the first `offset` ones, and their age: from the board or, if there is none or it has too
 * few of its members in order, from the database. */
export async function topIn(
  sources: Sources,
  owner: Owner,
  window: Window,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
): Promise<{ asOf: string | null; entries: readonly Count[] }> {
  const top = await topOfBoard(sources, owner, window, offset + limit);
  const asOf = top === undefined ? now() : top.asOf;
  const entries = top?.isExact ? top.entries : (await countsIn(sources, owner, window)).top(offset + limit);
  return { asOf, entries: entries.slice(offset) };
}

/** A count with its rank between `each` on both sides, and their age; undefined: it is 0. */
export async function rankIn(
  sources: Sources,
  owner: Owner,
  window: Window,
  { id, each }: { readonly id: number; readonly each: number },
): Promise<{ asOf: string | null; around: readonly Ranked[] | undefined }> {
  const top = await topOfBoard(sources, owner, window, topLimitMax);
  const asOf = top === undefined ? now() : top.asOf;
  if (top?.isExact) {
    const { entries } = top;
    const at = entries.findIndex((one) => one.id === id);
    const first = Math.max(at - each, 0);
    const around = withRanks(entries.slice(first, at + each + 1), first + 1);
    if (at >= 0 && at + each < entries.length) return { asOf, around };
    if (entries.length < topLimitMax) return { asOf, around: at < 0 ? undefined : around };
  }
  return { asOf, around: (await countsIn(sources, owner, window)).around(id, each) };
}
