import { setTimeout as delay } from "node:timers/promises";
import { fieldIn, firstLiveDay, InvalidInput, keyedRead, slicesOf, type Sources } from "@tally/contract";
import { topLimitMax, topOf } from "../values.ts";
import { Counts, withRanks, type Count, type CountsRow, type Ranked } from "./counts.ts";
import { inLedger, itemsOfStore, seriesOf, storesOfItem, type Measure } from "./series.ts";
import type { Window } from "./window.ts";

/** What is ranked: the items of a store or of all, or the stores of an item or all. */
export interface Owner {
  readonly id: number;
  /** undefined: Redis has none. */
  readonly boardOf: (id: number, series: string) => string | undefined;
  readonly countsOf: (sources: Pick<Sources, "read" | "stream">, key: Key) => Promise<Counts>;
  /** The first of a window without a board, from others. */
  readonly topLive?: (
    boards: Sources["boards"],
    window: Window,
    limit: number,
  ) => Promise<Omit<Top, "isExact"> | undefined>;
}

type Top = Awaited<ReturnType<typeof topOf<Count>>>;

/*
 * A window is counted from the folded counts of its series and from the rows of the batches in the ledger. All is read
 * as of one moment, so that a batch that is folded meanwhile counts once. Epochs of the ledger up to `closedTo` have
 * all of their batches (epochs.ts of packages/database).
 */
export type Key = readonly [
  owner: number,
  by: Measure,
  from: number,
  to: number,
  closedTo: number,
  ...series: string[],
];

export const tables = [
  ["purchases", "purchased_on"],
  ["purchase_corrections", "counted_on"],
] as const;
const folded = (index: string, counts = "CAST(counts AS CHAR)"): string => `${counts} AS counts, 1 AS isFolded
  FROM folded_series FORCE INDEX (${index}) WHERE domain = 'purchases' AND series IN (?)`;

const countsOfStore = keyedRead({
  select: [
    `SELECT NULL AS id, ${folded("PRIMARY")} AND member = ?`,
    ...tables.map(
      ([table, day]) =>
        `SELECT NULL, CAST(items AS CHAR), 0 FROM ${table} ${inLedger} AND store_id = ? AND ${day} BETWEEN ? AND ?`,
    ),
  ].join("\nUNION ALL\n"),
  values: ([store, , from, to, , ...series]: Key) => [series, store, store, from, to, store, from, to],
  ofRows: (rows: readonly CountsRow[], [, by]) => new Counts().add(rows, by),
});

// 14,000 slices of 124 items take 180 ms when they are sent and parsed, so only the item is: 40 ms. [item,count] has less
// than 40 characters.
const countOfItem = "CONCAT('[', SUBSTRING_INDEX(SUBSTRING(counts, LOCATE(?, counts), 40), ']', 1), ']]')";
// MySQL writes [[42, 1], MariaDB [[42,1]. Without CAST, LIKE compares letters, which takes twice as long.
const rowsWithItem = (epochs: string): readonly string[] =>
  tables.map(
    ([table, day]) => `
    SELECT store_id AS id, CAST(items AS CHAR) AS counts, 0 AS isFolded FROM ${table} ${inLedger} AND ${epochs}
      AND ${day} BETWEEN ? AND ? AND items LIKE CAST(? AS BINARY)`,
  );
const closedTo =
  "(SELECT MIN(CAST(epoch AS SIGNED) - is_open) FROM ledger_epochs WHERE domain = 'purchases') AS closedTo";
// What a statement sees of the ledger.
const state = `SELECT batches, ${closedTo}, NULL FROM ledger_folds WHERE domain = 'purchases'`;
const stateOf = (rows: readonly CountsRow[]) => rows.find(({ isFolded }) => isFolded === null);

const closedHalf = keyedRead({
  select: [...rowsWithItem("epoch BETWEEN 1 AND ? AND sequence % 2 = ?"), state].join("\nUNION ALL\n"),
  values([half, item, , from, to, closed]: readonly [half: number, ...Key]) {
    const ofRows = [closed, half, from, to, `%[${item},%`];
    return [...ofRows, ...ofRows];
  },
  ofRows: (rows: readonly CountsRow[]) => rows,
});

const foldedAndOpen = keyedRead({
  select: [
    `SELECT member AS id, ${folded("key_slice", countOfItem)} AND slice IN (?) AND counts LIKE ?`,
    ...rowsWithItem("(epoch < 1 OR epoch > ?)"),
    state,
  ].join("\nUNION ALL\n"),
  values([item, , from, to, closed, ...series]: Key) {
    // All of them have the same number of slices.
    const [slices, line] = [slicesOf(series[0] ?? "", item), `[${item},`];
    const ofRows = [closed, from, to, `%${line}%`];
    return [line, series, slices, `%${line}%`, ...ofRows, ...ofRows];
  },
  ofRows: (rows: readonly CountsRow[]) => rows,
});

/** In three statements at once. From closed epochs rows only leave, by folding: if the statements saw the same folded
 * batches, and those epochs closed, the others are as of the moment of `foldedAndOpen`. If not, it reads all. */
async function countsOfItem({ read }: Pick<Sources, "read">, key: Key): Promise<Counts> {
  const [item, by, from, to, closed, ...series] = key;
  const halves = [0, 1].map((half) => read(closedHalf, [half, ...key]));
  const parts = await Promise.all([...halves, read(foldedAndOpen, key)]);
  const states = parts.map(stateOf);
  const isOneMoment = states.every((one) => one?.id === states[0]?.id && Number(one?.counts) >= closed);
  const rows = isOneMoment ? parts.flat() : await read(foldedAndOpen, [item, by, from, to, 0, ...series]);
  return new Counts().add(rows, by, item);
}

export const itemsIn = (id: number): Owner => ({
  id,
  boardOf: itemsOfStore,
  countsOf: async ({ read }, key) => read(countsOfStore, key),
});
export const storesWith = (id: number): Owner => ({
  id,
  boardOf: storesOfItem,
  countsOf: countsOfItem,
});

const selectClosed = `SELECT ${closedTo}`;

// No row has an earlier or a later day.
const allDays = [10_000_101, 99_991_230] as const;

/** Exact, as of one moment. */
export async function countsIn(sources: Sources, { id, countsOf }: Owner, { by, days }: Window) {
  const askedAt = new Date().toISOString();
  const [row] = await sources.rows.query<{ closedTo: number | null }>(selectClosed);
  const [from, to] = days === undefined ? allDays : [days[0] ?? 0, days.at(-1) ?? 0];
  const series = (days ?? [undefined]).map((day) => seriesOf(by, day));
  const counts = await countsOf(sources, [id, by, from, to, row?.closedTo ?? 0, ...series]);
  // What was read after this moment may contain newer sales. The counts of an earlier request may be older.
  return { counts, asOf: counts.asOf < askedAt ? counts.asOf : askedAt };
}

// Only Redis knows whether it keeps a series beside the first. While it does not respond, the database counts.
const boardWithinMs = 500;

/** The first 100 or fewer and their age, as Redis keeps them; undefined: it does not. */
async function topOfBoard({ boards }: Sources, { id, boardOf, topLive }: Owner, window: Window, limit: number) {
  if (topLive !== undefined) return topLive(boards, window, limit);
  const [day, more] = window.days ?? [];
  const isOld = day !== undefined && day < firstLiveDay(Date.now());
  const board = boardOf(id, seriesOf(window.by, day));
  if (limit > topLimitMax || more !== undefined || isOld || board === undefined) return undefined;
  const top = await topOf(boards, board, limit, (member, count): Count => ({ id: Number(member), count }));
  return top.isExact ? top : undefined;
}

// All time by quantity is always kept.
const withinOf = ({ by, days }: Window) => (by === "quantity" && days === undefined ? Infinity : boardWithinMs);

/** undefined: Redis does not respond in time. */
export async function ifAvailable<T>(read: Promise<T>, withinMs = boardWithinMs): Promise<T | undefined> {
  if (withinMs === Infinity) return read;
  return Promise.race([read, delay(withinMs, undefined, { ref: false })]).catch((error: unknown) => {
    if (fieldIn(error, "failureClass") !== "unavailable") throw error;
    return undefined;
  });
}

/** The answer of Redis, or a count of the rows if Redis has none in time. Waits for Redis if the rows are too many. */
export async function liveOrCounted<T>(read: Promise<T | undefined>, count: () => Promise<T>, withinMs: number) {
  const live = await ifAvailable(read, withinMs);
  return (
    live ??
    count().catch(async (error: unknown) => {
      const late = error instanceof InvalidInput ? await read : undefined;
      if (late === undefined) throw error;
      return late;
    })
  );
}

/** The highest counts after the first `offset` ones, and their age: from the board or, if there is none or it has too
 * few of its members in order, from the database. `total` of all stores. */
export async function topIn(
  sources: Sources,
  owner: Owner,
  window: Window,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
): Promise<{ asOf: string | null; total: number | undefined; entries: readonly Ranked[] }> {
  const count = async () => {
    const { counts, asOf } = await countsIn(sources, owner, window);
    return { asOf, total: counts.total, entries: counts.top(offset + limit) };
  };
  const read = topOfBoard(sources, owner, window, offset + limit);
  const top = await liveOrCounted(read, count, withinOf(window));
  return { ...top, entries: withRanks(top.entries.slice(offset), offset + 1) };
}

/** A count with its rank between `each` on both sides, and their age; undefined: it is 0. */
export async function rankIn(
  sources: Sources,
  owner: Owner,
  window: Window,
  { id, each }: { readonly id: number; readonly each: number },
): Promise<{ asOf: string | null; around: readonly Ranked[] | undefined }> {
  const top = await ifAvailable(topOfBoard(sources, owner, window, topLimitMax), withinOf(window));
  if (top !== undefined) {
    const { asOf, entries } = top;
    const at = entries.findIndex((one) => one.id === id);
    const first = Math.max(at - each, 0);
    const around = withRanks(entries.slice(first, at + each + 1), first + 1);
    if (at >= 0 && at + each < entries.length) return { asOf, around };
    if (entries.length < topLimitMax) return { asOf, around: at < 0 ? undefined : around };
  }
  const { counts, asOf } = await countsIn(sources, owner, window);
  return { asOf, around: counts.around(id, each) };
}
