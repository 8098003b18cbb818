import { channel } from "node:diagnostics_channel";
import type { Database } from "../connection/connect-database.ts";
import type { ExclusiveSession } from "../connection/run-statement.ts";
import type { Retention } from "@tally/contract";
import {
  beginMonth,
  countChunk,
  endExport,
  endStep,
  exportedMonth,
  keepRows,
  type ExportedMonth,
  type Step,
} from "./month-states.ts";
import {
  type Month,
  dropIfEmpty,
  exchangeWithLeaving,
  hasLeavingRows,
  hasRows,
  partitionedMonths,
  patiently,
  renewLeaving,
} from "./months.ts";

/*
 * The life of a month that is removed (retention_months.step). A process may die anywhere; the next one continues at
 * the same step:
 *
 *   moving      writers reject events of the month. Its partition is exchanged with the empty leaving table
 *   exporting   the leaving rows still count. They are written to a file, which is read again
 *   counting    the leaving rows are added to the base, some thousand in a transaction, up to counted_to
 *   dropping    the base has all. The leaving table is replaced by an empty one, and the empty partition is dropped
 *   removed     the file and the base have what the rows had
 */

export interface Removing {
  /** Holds the lock of retention: no other process changes steps. */
  readonly session: ExclusiveSession;
  readonly database: Database;
  readonly domain: { readonly name: string; readonly retention: Retention };
  /** Writes the leaving rows to a file and checks it. Called again after a crash, also when the file is complete. */
  readonly exportMonth: (month: Month) => Promise<ExportedMonth>;
  readonly rowsPerTransaction: number;
  readonly onProgress: (progress: RetentionProgress) => void;
}

export interface RetentionProgress {
  readonly step: "adding partitions" | "splitting the last partition" | Step | "waiting";
  readonly month?: Month;
  readonly done?: number;
  readonly total?: number | undefined;
}

/** For fault drills: after each change that a later process finds. Messages: what was done. */
export const changed = channel("tally:retention:changed");

export async function begin({ database, domain: { name } }: Removing, month: Month): Promise<void> {
  await database.transaction((transaction) => beginMonth(transaction, name, month));
  changed.publish("begun");
}

/** Continues at the given step to the end. Throws DatabaseError, and what `exportMonth` throws; nothing is lost. */
export async function removeMonth(removing: Removing, month: Month, step: Step): Promise<ExportedMonth> {
  const { session, database, domain, exportMonth, onProgress } = removing;
  let next = step;
  // On the connection of the changed tables: the step cannot end on a server that lacks the change.
  const end = async (to: Step): Promise<void> => {
    await endStep(session, domain.name, month, [next, to]);
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
    await database.transaction((transaction) => endExport(transaction, domain.name, month, exported));
    next = "counting";
    changed.publish(next);
  }
  const exported = await exportedMonth(database.writer, domain.name, month);
  if (next === "counting") {
    await count(removing, month, exported.events);
    await end("dropping");
  }
  if (next === "dropping") {
    onProgress({ step: next, month });
    await drop(removing, month);
    await end("removed");
  }
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
    throw new Error(`${month} has rows beside ${retention.leaving}: ${keepRows}`);
}

async function count(removing: Removing, month: Month, total: number): Promise<void> {
  const { database, domain, rowsPerTransaction, onProgress } = removing;
  for (let done = 0; ;) {
    onProgress({ step: "counting", month, done, total });
    const added = await database.transaction((transaction) =>
      countChunk(transaction, domain, month, rowsPerTransaction),
    );
    if (added === 0) return;
    done += added;
    changed.publish("counted some");
  }
}

async function drop({ session, domain: { retention }, onProgress }: Removing, month: Month): Promise<void> {
  const onWait = (): void => onProgress({ step: "waiting", month });
  await patiently(() => renewLeaving(session, retention), onWait);
  changed.publish("leaving table emptied");
  // Undefined or without the month: a process died after this step.
  if ((await partitionedMonths(session, retention))?.includes(month) !== true) return;
  const isDropped = await patiently(() => dropIfEmpty(session, retention, month), onWait);
  if (!isDropped) throw new Error(`${month} has new rows in ${retention.table}: ${keepRows}`);
  changed.publish("partition dropped");
}
