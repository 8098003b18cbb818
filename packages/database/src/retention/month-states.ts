import type { Retention, SqlReader, SqlTransaction } from "@tally/contract";
import { addMonths, firstDayOf, type Month } from "./months.ts";
import { raiseTo } from "./retained-from.ts";

/** See remove-month.ts. */
export type Step = "moving" | "exporting" | "counting" | "dropping" | "removed";

export interface MonthState {
  readonly month: Month;
  readonly step: Step;
}

export interface ExportedMonth {
  readonly events: number;
  readonly file: string;
  readonly sha256: string;
}

const none = Buffer.alloc(16);
const all = Buffer.alloc(16, 0xff);

const selectUnfinished = "SELECT month, step FROM retention_months WHERE domain = ? AND step <> 'removed'";
const selectStep = "SELECT step FROM retention_months WHERE domain = ? AND month = ?";
const insertMonth = "INSERT INTO retention_months (domain, month, step, counted_to) VALUES ?";
const updateStep = "UPDATE retention_months SET step = ? WHERE domain = ? AND month = ? AND step = ?";
const updateExported = `
  UPDATE retention_months SET step = 'counting', events = ?, file = ?, sha256 = ?
  WHERE domain = ? AND month = ? AND step = 'exporting'`;
const selectExported = "SELECT events, file, sha256 FROM retention_months WHERE domain = ? AND month = ?";
const lockCountedTo = `
  SELECT counted_to AS countedTo FROM retention_months
  WHERE domain = ? AND month = ? AND step = 'counting' FOR UPDATE`;
const updateCountedTo = "UPDATE retention_months SET counted_to = ? WHERE domain = ? AND month = ?";

/** The month whose removal has begun and not ended. */
export async function unfinishedMonth(reader: SqlReader, domain: string): Promise<MonthState | undefined> {
  const [row] = await reader.query<MonthState>(selectUnfinished, [domain]);
  return row;
}

/** Makes writers reject the month's events. Must be committed before its rows are moved. May be repeated. */
export async function beginMonth(transaction: SqlTransaction, domain: string, month: Month): Promise<void> {
  await raiseTo(transaction, domain, firstDayOf(addMonths(month, 1)));
  if ((await transaction.insert(insertMonth, [[domain, month, "moving", none]])) !== "duplicate") return;
  const [found] = await transaction.query<Pick<MonthState, "step">>(selectStep, [domain, month]);
  if (found?.step === "removed")
    throw new Error(`${domain}: ${month} was removed before, and has rows again: ${keepRows}`);
}

/** What to do with rows that should not be there. Without rows and base, a rebuild would lose their counts. */
export const keepRows = "keep the rows; see docs/retention.md";

/** Repeating it changes nothing. */
export async function endStep(
  transaction: Pick<SqlTransaction, "execute">,
  domain: string,
  month: Month,
  [from, to]: readonly [Step, Step],
): Promise<void> {
  await transaction.execute(updateStep, [to, domain, month, from]);
}

export async function endExport(
  transaction: SqlTransaction,
  domain: string,
  month: Month,
  { events, file, sha256 }: ExportedMonth,
): Promise<void> {
  await transaction.execute(updateExported, [events, file, sha256, domain, month]);
}

export async function exportedMonth(reader: SqlReader, domain: string, month: Month): Promise<ExportedMonth> {
  const [row] = await reader.query<ExportedMonth>(selectExported, [domain, month]);
  if (row === undefined) throw new Error(`${domain}: no row of ${month} in retention_months`);
  return row;
}

/**
 * Adds the next leaving rows to the base, up to `rowsMax`, and remembers how far it is in the same transaction:
 * repeating it after any outcome counts each row once. Returns how many rows it added; 0: all rows are in the base.
 */
export async function countChunk(
  transaction: SqlTransaction,
  { name, retention }: { readonly name: string; readonly retention: Retention },
  month: Month,
  rowsMax: number,
): Promise<number> {
  const [row] = await transaction.query<{ countedTo: Buffer }>(lockCountedTo, [name, month]);
  if (row === undefined) return 0;
  const { leaving, addToBase } = retention;
  // Rows of one id, with several dates of the month, are counted together.
  const [end] = await transaction.query<{ id: Buffer }>(
    `SELECT id FROM ${leaving} WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?`,
    [row.countedTo, rowsMax - 1],
  );
  const countedTo = end?.id ?? all;
  const [chunk] = await transaction.query<{ events: number }>(
    `SELECT COUNT(*) AS events FROM ${leaving} WHERE id > ? AND id <= ?`,
    [row.countedTo, countedTo],
  );
  for (const sql of addToBase) await transaction.execute(sql, [row.countedTo, countedTo]);
  await transaction.execute(updateCountedTo, [countedTo, name, month]);
  return chunk?.events ?? 0;
}
