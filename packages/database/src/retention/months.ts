import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError } from "../connection/database-error.ts";
import type { ExclusiveSession } from "../connection/run-statement.ts";
import type { Retention, SqlReader } from "@tally/contract";

/** As 2025-01. Texts compare as months do. */
export type Month = string;

/** In UTC. */
export function monthOf(ms: number): Month {
  return new Date(ms).toISOString().slice(0, 7);
}

export function addMonths(month: Month, count: number): Month {
  const [year = "", ordinal = ""] = month.split("-");
  const months = Number(year) * 12 + Number(ordinal) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}`;
}

/** 2025-01 → 2025-01-01. */
export function firstDayOf(month: Month): string {
  return `${month}-01`;
}

/** Both included. */
export function monthsBetween(first: Month, last: Month): readonly Month[] {
  const months: Month[] = [];
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month);
  return months;
}

/*
 * The partitions of a table: one for each month, in order, and the last one for all later dates. The first one has all
 * earlier dates too. Months are split out of the last partition ahead of time, while it has no rows of them: a split
 * copies the rows of what it splits, and blocks writers.
 */

type Partitioned = Pick<Retention, "table" | "dateColumn" | "leaving">;

const lastName = "later";

const selectPartitions = `
  SELECT partition_name AS name FROM information_schema.partitions
  WHERE table_schema = DATABASE() AND table_name = ? AND partition_name IS NOT NULL
  ORDER BY partition_ordinal_position`;

/** Oldest first; undefined: the table has no partitions. */
export async function partitionedMonths(
  reader: SqlReader,
  { table }: Partitioned,
): Promise<readonly Month[] | undefined> {
  const rows = await reader.query<{ name: string }>(selectPartitions, [table]);
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ name }) => (name === lastName ? [] : [`${name.slice(1, 5)}-${name.slice(5)}`]));
}

/** Gives the table partitions. Copies all rows; writers wait until the end. */
export function addPartitionsSql({ table, dateColumn }: Partitioned, months: readonly Month[]): string {
  return (
    `ALTER TABLE ${table} DROP PRIMARY KEY, ADD PRIMARY KEY (id, ${dateColumn}) ` +
    `PARTITION BY RANGE COLUMNS(${dateColumn}) (${definitions(months)})`
  );
}

/** Splits months out of the last partition. Quick while that is empty. */
export async function splitLast(session: ExclusiveSession, { table }: Partitioned, months: readonly Month[]) {
  await session.execute(`ALTER TABLE ${table} REORGANIZE PARTITION ${lastName} INTO (${definitions(months)})`);
}

export async function hasRows(reader: SqlReader, { table }: Partitioned, month: Month): Promise<boolean> {
  return (await reader.query(`SELECT 1 FROM ${table} PARTITION (${nameOf(month)}) LIMIT 1`)).length > 0;
}

export async function hasLeavingRows(reader: SqlReader, { leaving }: Pick<Partitioned, "leaving">): Promise<boolean> {
  return (await reader.query(`SELECT 1 FROM ${leaving} LIMIT 1`)).length > 0;
}

/** Moves a month into the empty leaving table, at one moment for all readers. Copies nothing. */
export async function exchangeWithLeaving(session: ExclusiveSession, { table, leaving }: Partitioned, month: Month) {
  await session.execute(`ALTER TABLE ${table} EXCHANGE PARTITION ${nameOf(month)} WITH TABLE ${leaving}`);
}

/** Replaces the leaving table by an empty one like the partitions, at one moment for all readers. May be repeated. */
export async function renewLeaving(session: ExclusiveSession, { table, leaving }: Partitioned): Promise<void> {
  const [next, last] = [`${leaving}_next`, `${leaving}_last`];
  await session.execute(`DROP TABLE IF EXISTS ${next}, ${last}`);
  await session.execute(`CREATE TABLE ${next} LIKE ${table}`);
  await session.execute(`ALTER TABLE ${next} REMOVE PARTITIONING`);
  await session.execute(`RENAME TABLE ${leaving} TO ${last}, ${next} TO ${leaving}`);
  await session.execute(`DROP TABLE ${last}`);
}

/** Returns whether the month was empty. No row can arrive between the check and the drop. */
export async function dropIfEmpty(session: ExclusiveSession, tables: Partitioned, month: Month): Promise<boolean> {
  await session.execute(`LOCK TABLES ${tables.table} WRITE`);
  try {
    const isEmpty = !(await hasRows(session, tables, month));
    if (isEmpty) await session.execute(`ALTER TABLE ${tables.table} DROP PARTITION ${nameOf(month)}`);
    return isEmpty;
  } finally {
    await session.execute("UNLOCK TABLES");
  }
}

function definitions(months: readonly Month[]): string {
  const below = months.map(
    (month) => `PARTITION ${nameOf(month)} VALUES LESS THAN ('${firstDayOf(addMonths(month, 1))}')`,
  );
  return [...below, `PARTITION ${lastName} VALUES LESS THAN (MAXVALUE)`].join(", ");
}

const nameOf = (month: Month): string => `p${month.replace("-", "")}`;

const againAfterMs = 3000;
const patienceMs = 600_000;

/** Repeats a change of tables for ten minutes, while a rebuild, an audit or an export uses them. Writers continue. */
export async function patiently<T>(change: () => Promise<T>, onWait: () => void): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      const isBusy = error instanceof DatabaseError && error.kind === "retry";
      if (!isBusy || performance.now() > deadline) throw error;
      onWait();
      await delay(againAfterMs);
    }
  }
}
