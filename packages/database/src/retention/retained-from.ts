import { utcDayOf } from "@tally/contract";
import type { Recount, Retention, SqlSnapshot, SqlTransaction } from "@tally/contract";
import type { Database } from "../connection/connect-database.ts";
import type { SnapshotOptions } from "../connection/read.ts";

export const retentionMigrations = new URL("./migrations/", import.meta.url);

const dayMs = 86_400_000;

/** The newest month that may be removed ended at least this many days ago. */
export const removedAfterDays = 31;

const selectRetainedFrom =
  "SELECT CAST(DATE_FORMAT(retained_from, '%Y%m%d') AS UNSIGNED) AS retainedFrom FROM retention WHERE domain = ?";
const raiseRetainedFrom = `
  INSERT INTO retention (domain, retained_from) VALUES (?, ?)
  ON DUPLICATE KEY UPDATE retained_from = GREATEST(retained_from, VALUES(retained_from))`;

/** The first date, yyyymmdd, for which a writer need not call `retainedFrom`. */
export function surelyRetainedFrom(now: number): number {
  // One day less than above: the clocks of two servers, before and after a failover, may differ by up to a day.
  return utcDayOf(now - (removedAfterDays - 1) * dayMs);
}

/** The first date, yyyymmdd, whose events are retained; undefined if nothing was ever removed. True until the
 * transaction ends: the first statement locks the definition of the table, as an INSERT does, so that no month can be
 * moved until then. A month that was moved before raised the date before, and READ COMMITTED sees it. Two statements of
 * about 0.1 ms. */
export async function retainedFrom(
  transaction: SqlTransaction,
  domain: string,
  { table }: Pick<Retention, "table">,
): Promise<number | undefined> {
  await transaction.query(`SELECT 1 FROM ${table} WHERE 1 = 0 FOR UPDATE`);
  const [row] = await transaction.query<{ retainedFrom: number }>(selectRetainedFrom, [domain]);
  return row?.retainedFrom;
}

/** Makes writers reject events before this day (2025-02-01). Never lowers it. */
export async function raiseTo(transaction: SqlTransaction, domain: string, day: string): Promise<void> {
  await transaction.execute(raiseRetainedFrom, [domain, day]);
}

/** The parts of a domain that say how its boards follow from its rows. */
export interface Recounted<R extends Partial<Recount> = Recount> {
  readonly name: string;
  readonly recount: R;
  readonly retention?: Pick<Retention, "table" | "leaving"> | undefined;
}

/** Runs `work` on a snapshot. Until it ends no month of the domain can be moved on that server. No retries. Throws
 * DatabaseError. */
export async function withUnmoved<T>(
  database: Pick<Database, "snapshot">,
  endpoint: "read" | "write",
  { retention }: Pick<Recounted, "retention">,
  work: (snapshot: SqlSnapshot) => Promise<T>,
  options?: Pick<SnapshotOptions, "silenceMs">,
): Promise<T> {
  // Both tables in one statement: a statement that waits for its first table holds none, so it cannot deadlock with an
  // exchange of the two.
  const holding = retention && `SELECT 1 FROM ${retention.table}, ${retention.leaving} WHERE 1 = 0`;
  return database.snapshot(endpoint, work, { ...options, holding });
}
