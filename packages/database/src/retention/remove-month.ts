import { channel } from "node:diagnostics_channel";
import type { Database } from "../connection/connect-database.ts";
import { UnexpectedState } from "../connection/database-error.ts";
import type { ExclusiveSession } from "../connection/run-statement.ts";
import type { Retention, SqlReader } from "@tally/contract";
import { dropIfEmpty, exchangeWithLeaving, hasLeavingRows, hasRows, partitionedMonths, patiently } from "./months.ts";
import { renewLeaving, addMonths, firstDayOf, monthOf, monthsBetween } from "./months.ts";
import type { Month } from "./months.ts";
import { raiseTo } from "./retained-from.ts";

/*
 * The life of a month that is removed (retention_months.step). A process may die anywhere; the next one continues at
 * the same step:
 *
 *   moving      writers reject events of the month. All batches are folded, so that its rows are in the folded counts.
 *               Its partition is exchanged with the empty leaving table
 *   exporting   the leaving rows still count. They are written to a file, which is read again
 *   dropping    only the folded counts count. The leaving table is replaced by an empty one, and the empty partition is
 *               dropped. An earlier release begins with the step "counting", which continues here
 *   removed     the file and the folded counts have what the rows had
 */

export interface Removing {
  /** Holds the lock of retention: no other process changes steps. */
  readonly session: ExclusiveSession;
  readonly database: Database;
  readonly domain: { readonly name: string; readonly retention: Retention };
  /** Folds all batches that are stored by now: rows of a batch in the ledger must not leave. */
  readonly foldAll: () => Promise<void>;
  /** Writes the leaving rows to a file and checks it. Called again after a crash, also when the file is complete. */
  readonly exportMonth: (month: Month) => Promise<ExportedMonth>;
  readonly onProgress: (progress: RetentionProgress) => void;
}

export interface RetentionProgress {
  readonly step: "adding partitions" | "splitting the last partition" | Step | "waiting";
  readonly month?: Month;
}

/** For fault drills: after each change that a later process finds. Messages: what was done. */
export const changed = channel("tally:retention:changed");

const giveUp = { giveUpAfterMs: 15_000 };

/** Makes writers reject the month's events, which must be committed before its rows are moved. May be repeated. */
export async function begin(database: Pick<Database, "transaction">, domain: string, month: Month): Promise<void> {
  await database.transaction(async (transaction) => {
    await raiseTo(transaction, domain, firstDayOf(addMonths(month, 1)));
    if ((await transaction.insert(insertMonth, [[domain, month, "moving", none]])) !== "duplicate") return;
    const [found] = await transaction.query<Pick<MonthState, "step">>(selectStep, [domain, month]);
    if (found?.step === "removed")
      throw new UnexpectedState(`${domain}: ${month} was removed before, and has rows again: ${keepRows}`);
  }, giveUp);
  changed.publish("begun");
}

/** Continues at the given step to the end. Throws DatabaseError, and what `exportMonth` throws; nothing is lost. */
export async function removeMonth(removing: Removing, month: Month, step: Step): Promise<ExportedMonth> {
  const { session, database, domain, exportMonth, onProgress } = removing;
  let next = step;
  // On the connection of the changed tables: the step cannot end on a server that lacks the change. May be repeated.
  const end = async (to: Step): Promise<void> => {
    await session.execute(updateStep, [to, domain.name, month, next]);
    next = to;
    changed.publish(to);
  };
  if (next === "moving") {
    onProgress({ step: next, month });
    await move(removing, month);
    await end("exporting");
  }
  if (next === "exporting") {
    const exported = await exportMonth(month);
    changed.publish("exported");
    const { events, file, sha256 } = exported;
    const values = [events, file, sha256, domain.name, month];
    await database.transaction((tx) => tx.execute(updateExported, values), giveUp);
    next = "dropping";
    changed.publish(next);
  }
  const [exported] = await database.writer.query<ExportedMonth>(selectExported, [domain.name, month]);
  if (exported === undefined) throw new Error(`${domain.name}: no row of ${month} in retention_months`);
  onProgress({ step: "dropping", month });
  await drop(removing, month);
  await end("removed");
  return exported;
}

async function move({ session, domain: { retention }, onProgress }: Removing, month: Month): Promise<void> {
  const onWait = (): void => onProgress({ step: "waiting", month });
  const isMoved = await hasLeavingRows(session, retention);
  if (!isMoved) {
    await patiently(() => renewLeaving(session, retention), onWait);
    changed.publish("leaving table renewed");
    await patiently(() => exchangeWithLeaving(session, retention, month), onWait);
    changed.publish("exchanged");
  }
  if (await hasRows(session, retention, month))
    throw new UnexpectedState(`${month} has rows beside ${retention.leaving}: ${keepRows}`);
}

async function drop({ session, domain: { retention }, onProgress }: Removing, month: Month): Promise<void> {
  const onWait = (): void => onProgress({ step: "waiting", month });
  await patiently(() => renewLeaving(session, retention), onWait);
  changed.publish("leaving table emptied");
  // Undefined or without the month: a process died after this step.
  if ((await partitionedMonths(session, retention))?.includes(month) !== true) return;
  const isDropped = await patiently(() => dropIfEmpty(session, retention, month), onWait);
  if (!isDropped) throw new UnexpectedState(`${month} has new rows in ${retention.table}: ${keepRows}`);
  changed.publish("partition dropped");
}

type Step = "moving" | "exporting" | "dropping" | "removed";

interface MonthState {
  readonly month: Month;
  readonly step: Step;
}

export interface ExportedMonth {
  readonly events: number;
  readonly file: string;
  readonly sha256: string;
}

const none = Buffer.alloc(16);

const selectUnfinished = "SELECT month, step FROM retention_months WHERE domain = ? AND step <> 'removed'";
const selectSteps = "SELECT month, step FROM retention_months WHERE domain = ? ORDER BY month";
const selectStep = "SELECT step FROM retention_months WHERE domain = ? AND month = ?";
const insertMonth = "INSERT INTO retention_months (domain, month, step, counted_to) VALUES ?";
const updateStep = "UPDATE retention_months SET step = ? WHERE domain = ? AND month = ? AND step = ?";
const updateExported = `
  UPDATE retention_months SET step = 'dropping', events = ?, file = ?, sha256 = ?
  WHERE domain = ? AND month = ? AND step = 'exporting'`;
const selectExported = "SELECT events, file, sha256 FROM retention_months WHERE domain = ? AND month = ?";
const selectRemoved = (leaving: string): string => `
  SELECT month, events - IF(step = 'counting', (SELECT COUNT(*) FROM ${leaving} WHERE id > counted_to), 0) AS events
  FROM retention_months WHERE domain = ? AND step NOT IN ('moving', 'exporting') ORDER BY month`;

/** The month that an earlier run left. Throws if it is to be kept, unless its rows have certainly left the table. */
export async function unfinishedMonth(reader: SqlReader, domain: string, firstKept: Month) {
  const [row] = await reader.query<MonthState>(selectUnfinished, [domain]);
  if (row === undefined || row.step !== "moving" || row.month < firstKept) return row;
  const toKeep = monthsBetween(row.month, monthOf(Date.now())).length - 2;
  throw new UnexpectedState(
    `${domain}: an earlier run is removing ${row.month}: finish it first, with --keep-months ${toKeep}`,
  );
}

/** A month whose rows no longer count, and how many they were. */
export type RemovedMonth = Pick<MonthState, "month"> & Pick<ExportedMonth, "events">;

interface RetainedDomain {
  readonly name: string;
  readonly retention?: Pick<Retention, "leaving"> | undefined;
}

/** Oldest first. Of a month that an earlier release is counting, the rows that it has not counted still count. */
export async function removedMonths(
  reader: SqlReader,
  { name, retention }: RetainedDomain,
): Promise<readonly RemovedMonth[]> {
  return retention === undefined ? [] : reader.query<RemovedMonth>(selectRemoved(retention.leaving), [name]);
}

/** Of all removals so far, as text: each step moves rows. */
export async function removalSteps(reader: SqlReader, { name, retention }: RetainedDomain): Promise<string> {
  if (retention === undefined) return "";
  const steps = await reader.query<Pick<MonthState, "month" | "step">>(selectSteps, [name]);
  // Rows are exchanged before the end of a step.
  const isMoved = await hasLeavingRows(reader, retention);
  return [...steps.map(({ month, step }) => `${month} ${step}`), isMoved].join();
}

/** What to do with rows that should not be there. */
const keepRows = "keep the rows; see docs/retention.md";
