import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { addDomains, addMonths, firstDayOf, ledgerMigrations, monthOf, retentionMigrations } from "@tally/database";
import { withUnmoved } from "@tally/database";
import type { Database } from "@tally/database";
import { ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { beforeAll } from "vitest";
import { entriesOf, readTables } from "@tally/reconcile";
import { bytesOfEventId, newEventId, type SqlSnapshot, type SqlValue } from "@tally/contract";

const found = domains.find(({ name }) => name === "purchases");
if (found?.retention === undefined || found.files === undefined) throw new Error("purchases have no retention");
export const purchases = { ...found, retention: found.retention, files: found.files };

/** A database of this test file with purchases that are not ranked. */
export function purchasesDatabase() {
  const own = [purchases.migrations, purchases.name] as const;
  const database = ownDatabase([ledgerMigrations, "ledger"], [retentionMigrations, "retention"], own);
  beforeAll(() => database.connect().transaction((transaction) => addDomains(transaction, [purchases.name])));
  return database;
}

/** The first day of the month `back` months ago, as 2025-01-01. */
export function dayOfMonth(back: number): string {
  return firstDayOf(addMonths(monthOf(Date.now()), -back));
}

export const insertPurchases =
  "INSERT INTO purchases (id, store_id, customer_id, purchased_on, items, sold_at, producer, sequence) VALUES ?";
const rowsPerBatch = 50;

/** A row of the table: `n` chooses store and items, and whether they have prices. */
export function rowOf(n: number, day: string, id = bytesOfEventId(newEventId())): readonly SqlValue[] {
  const amounts = n % 4 === 0 ? [19_900, 5000] : [];
  const items = JSON.stringify([
    [n % 7, 1 + (n % 3), ...amounts],
    [n % 11, 2, ...amounts],
  ]);
  const soldAt = n % 2 === 0 ? Date.parse(day) : null;
  return [id, n % 5, 1, day, items, soldAt, Buffer.alloc(8, n % 13), n % rowsPerBatch];
}

/** Ids made of keys are in no order of time. */
export const idOfKey = () => randomBytes(16);

export async function addRows(database: Database, count: number, day: string, newId?: () => Buffer): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => rowOf(n, day, newId?.()));
  await database.transaction((transaction) => transaction.insert(insertPurchases, rows));
}

/** Everything that rebuild and audit read, and the exported lines of removed months, as sorted lines. */
export function sumsOf(database: Pick<Database, "snapshot">): Promise<readonly string[]> {
  return withUnmoved(database, "write", purchases, sumsIn);
}

/** Likewise, in a snapshot. An exported line does not have its batch: without `batches` both count alike. */
export async function sumsIn(snapshot: SqlSnapshot, batches?: "batches"): Promise<readonly string[]> {
  const sums = new Map<string, number>();
  const add = (line: string, by: number): void => void sums.set(line, (sums.get(line) ?? 0) + by);
  const addSale = (store: unknown, day: unknown, entries: Iterable<readonly (number | undefined)[]>): void => {
    add(`day ${String(day)}`, 1);
    for (const [item, quantity = NaN] of entries) {
      add(`store ${String(store)} ${item}`, quantity);
      add(`item ${item} ${String(store)}`, quantity);
    }
  };
  for (const kind of purchases.recount.boards) {
    if (!("mirrored" in kind)) continue;
    for await (const rows of readTables(snapshot, kind.rows)) {
      for (const [store, text, producer, sequence, day] of rows) {
        addSale(store, day, entriesOf(text));
        if (batches !== undefined && Buffer.isBuffer(producer))
          add(`batch ${producer.toString("hex")} ${String(sequence)}`, 1);
      }
    }
  }
  const removed = "SELECT file FROM retention_months WHERE step NOT IN ('moving', 'exporting')";
  for (const { file } of await snapshot.query<{ file: string }>(removed)) {
    for (const line of (await readFile(file, "utf8")).trimEnd().split("\n")) {
      const { storeID, date, items } = JSON.parse(line);
      const entries = items.map(({ ItemID, numberOfItems }: Record<string, number>) => [ItemID, numberOfItems]);
      addSale(storeID, date, entries);
    }
  }
  return Array.from(sums, (line) => line.join(" ")).toSorted();
}
