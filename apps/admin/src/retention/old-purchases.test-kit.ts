import { randomBytes } from "node:crypto";
import { type Database, addMonths, firstDayOf, monthOf, retentionMigrations, withRecount } from "@tally/database";
import { ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { bytesOfEventId, newEventId, type Recount, type SqlSnapshot, type SqlValue } from "@tally/contract";

const found = domains.find(({ name }) => name === "purchases");
if (found?.retention === undefined || found.files === undefined) throw new Error("purchases have no retention");
export const purchases = { ...found, retention: found.retention, files: found.files };

/** A database of this test file with purchases that are not ranked. */
export function purchasesDatabase() {
  return ownDatabase([retentionMigrations, "retention"], [purchases.migrations, purchases.name]);
}

/** The first day of the month `back` months ago, as 2025-01-01. */
export function dayOfMonth(back: number): string {
  return firstDayOf(addMonths(monthOf(Date.now()), -back));
}

export const insertPurchases =
  "INSERT INTO purchases (id, store_id, customer_id, purchased_on, items, producer, sequence) VALUES ?";
const rowsPerBatch = 50;

/** A row of the table: `n` chooses store and items. */
export function rowOf(n: number, day: string, id = newEventId()): readonly SqlValue[] {
  const items = JSON.stringify([
    [n % 7, 1 + (n % 3)],
    [n % 11, 2],
  ]);
  return [bytesOfEventId(id), n % 5, 1, day, items, Buffer.alloc(8, n % 13), n % rowsPerBatch];
}

export async function addRows(database: Database, count: number, day: string): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => rowOf(n, day));
  await database.transaction((transaction) => transaction.insert(insertPurchases, rows));
}

/** Ids made of keys are in no order of time. */
export async function addKeyedRows(database: Database, count: number, day: string): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => [randomBytes(16), ...rowOf(n, day).slice(1)]);
  await database.transaction((transaction) => transaction.insert(insertPurchases, rows));
}

/** Everything that rebuild and audit read, as sorted lines. */
export function sumsOf(database: Pick<Database, "snapshot">): Promise<readonly string[]> {
  return withRecount(database, "write", purchases, sumsIn);
}

/** Likewise, in a snapshot. */
export async function sumsIn(snapshot: SqlSnapshot, { boards, rowsOfBatches }: Recount): Promise<readonly string[]> {
  const [sales] = boards;
  if (sales === undefined || !("mirrored" in sales)) throw new Error("purchases have mirrored boards");
  return [
    ...(await linesOf(snapshot, "item", sales.cells)),
    ...(await linesOf(snapshot, "store", sales.mirrorCells)),
    ...(await linesOf(snapshot, "batch", rowsOfBatches)),
  ].toSorted();
}

async function linesOf(snapshot: SqlSnapshot, kind: string, sql: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const rows of snapshot.stream(sql)) {
    for (const row of rows) {
      lines.push(
        `${kind} ${row.map((value) => (Buffer.isBuffer(value) ? value.toString("hex") : String(value))).join(" ")}`,
      );
    }
  }
  return lines;
}
