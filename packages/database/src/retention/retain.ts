import { exclusively, sqlOf, withConnection, type ExclusiveSession } from "../connection/run-statement.ts";
import type { Retention, SqlReader } from "@tally/contract";
import { unfinishedMonth, begin, changed, removeMonth } from "./remove-month.ts";
import type { ExportedMonth, Removing } from "./remove-month.ts";
import { addMonths, firstDayOf, monthOf, monthsBetween, addPartitionsSql, dropIfEmpty } from "./months.ts";
import { hasLeavingRows, hasRows, partitionedMonths, patiently, renewLeaving, splitLast } from "./months.ts";
import type { Month } from "./months.ts";
import { removedAfterDays } from "./retained-from.ts";

export interface RetainOptions extends Omit<Removing, "session"> {
  /** The write endpoint, with an account that may change tables. */
  readonly url: string;
  /** Months before this one are removed. See firstKeptMonth. */
  readonly firstKept: Month;
}

export interface RetainOutcome {
  readonly converted: boolean;
  readonly removed: readonly ({ readonly month: Month } & ExportedMonth)[];
}

// Commands that run less often split the last partition while it has rows, which blocks writers.
const monthsAhead = 13;
// Each partition is a separate tree. The first partition has everything before them.
const monthsBackMax = 120;

const dayMs = 86_400_000;

// The copy of all rows. The server continues when the command dies, and the lock shows that to the next one.
const statementMs = 7 * dayMs;
const tableLockWithinSeconds = 2;
// A conversion needs the table at its end, after the copy: waiting is cheaper than copying again.
const conversionLockWithinSeconds = 60;

/** The first month that stays: `keepMonths` before the present one. Undefined: the newest removed is too young. */
export function firstKeptMonth(keepMonths: number, now: number): Month | undefined {
  const first = addMonths(monthOf(now), -keepMonths);
  return Date.parse(firstDayOf(first)) > now - removedAfterDays * dayMs ? undefined : first;
}

/** Whether the host's clock removes a month that must stay. A day ahead is harmless: see surelyRetainedFrom. */
export function isHostAhead(keepMonths: number, host: number, database: number): boolean {
  return firstKeptMonth(keepMonths, Math.min(host, database + dayMs)) !== firstKeptMonth(keepMonths, host);
}

/** Removes all months before `firstKept`, oldest first, and finishes what an earlier run left. Gives the table
 * partitions first if it has none. Undefined: another process changes tables. */
export async function retain(options: RetainOptions): Promise<RetainOutcome | undefined> {
  const { url, domain } = options;
  return exclusively({ url, waitSeconds: 1, timeoutMs: statementMs, tableLockWithinSeconds }, async (session) => {
    const removing: Removing = { ...options, session };
    const removed: ({ readonly month: Month } & ExportedMonth)[] = [];
    const unfinished = await unfinishedMonth(options.database.writer, domain.name, options.firstKept);
    if (unfinished !== undefined) {
      const { month, step } = unfinished;
      await options.foldAll();
      removed.push({ month, ...(await removeMonth(removing, month, step)) });
    }
    const { months, converted } = await partition(session, options);
    for (const month of months.filter((one) => one < options.firstKept)) {
      const exported = await removeOne(removing, month);
      if (exported !== undefined) removed.push({ month, ...exported });
    }
    return { converted, removed };
  });
}

/** A month without rows is only dropped. */
async function removeOne(removing: Removing, month: Month): Promise<ExportedMonth | undefined> {
  const { session, domain, foldAll, onProgress } = removing;
  const { retention } = domain;
  const wait = (): void => onProgress({ step: "waiting", month });
  const isEmpty = !(await hasRows(session, retention, month));
  if (isEmpty && (await patiently(() => dropIfEmpty(session, retention, month), wait))) return undefined;
  // These rows are in the folded counts: after a failover the server may lack the end of an earlier removal.
  if (await hasLeavingRows(session, retention)) await patiently(() => renewLeaving(session, retention), wait);
  await begin(removing.database, domain.name, month);
  await foldAll();
  return removeMonth(removing, month, "moving");
}

/** Adds what is missing: all partitions, or those of the months ahead. Returns the months that have one. */
async function partition(
  session: ExclusiveSession,
  { domain: { retention }, onProgress }: RetainOptions,
): Promise<{ readonly months: readonly Month[]; readonly converted: boolean }> {
  const last = addMonths(monthOf(Date.now()), monthsAhead);
  const months = await partitionedMonths(session, retention);
  const wait = (): void => onProgress({ step: "waiting" });
  if (months === undefined) {
    onProgress({ step: "adding partitions" });
    const all = await monthsToPartition(session, retention);
    await session.execute("SET SESSION lock_wait_timeout = ?", [conversionLockWithinSeconds]);
    await patiently(() => session.execute(addPartitionsSql(retention, all)), wait);
    await session.execute("SET SESSION lock_wait_timeout = ?", [tableLockWithinSeconds]);
    changed.publish("partitions added");
    return { months: all, converted: true };
  }
  const newest = months.at(-1);
  const missing = newest === undefined ? [last] : monthsBetween(addMonths(newest, 1), last);
  if (missing.length > 0) {
    onProgress({ step: "splitting the last partition" });
    await patiently(() => splitLast(session, retention, missing), wait);
  }
  return { months: [...months, ...missing], converted: false };
}

/** What `retain` would do. Reads all rows of a table without partitions, for any time. */
export function plan({ url, domain, firstKept }: Pick<RetainOptions, "url" | "domain" | "firstKept">) {
  return withConnection(url, statementMs, async (run) => {
    const [reader, { name, retention }] = [sqlOf({ run }), domain];
    const unfinished = (await unfinishedMonth(reader, name, firstKept))?.month ?? null;
    const isPartitioned = (await partitionedMonths(reader, retention)) !== undefined;
    const addsPartitions = isPartitioned
      ? null
      : addPartitionsSql(retention, await monthsToPartition(reader, retention));
    return { addsPartitions, unfinished, months: await monthsToRemove(reader, retention, firstKept) };
  });
}

/** The months of a table without partitions: from that of its oldest row, up to ten years ago, to those ahead. */
async function monthsToPartition(reader: SqlReader, { table, dateColumn }: Retention): Promise<readonly Month[]> {
  const present = monthOf(Date.now());
  const [row] = await reader.query<{ oldest: string | null }>(`SELECT MIN(${dateColumn}) AS oldest FROM ${table}`);
  const oldest = row?.oldest?.slice(0, 7) ?? present;
  const bound = addMonths(present, -monthsBackMax);
  const first = oldest > present ? present : oldest < bound ? bound : oldest;
  return monthsBetween(first, addMonths(present, monthsAhead));
}

async function monthsToRemove(
  reader: SqlReader,
  { table, dateColumn }: Retention,
  firstKept: Month,
): Promise<readonly { readonly month: Month; readonly events: number }[]> {
  return reader.query(
    `SELECT DATE_FORMAT(${dateColumn}, '%Y-%m') AS month, COUNT(*) AS events FROM ${table}
     WHERE ${dateColumn} < ? GROUP BY month ORDER BY month`,
    [firstDayOf(firstKept)],
  );
}
