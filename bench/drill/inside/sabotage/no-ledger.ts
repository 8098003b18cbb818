import { enter as enterAll, findStored as find, type LedgerEntry } from "@tally/database";
import { textOfBatchId, type SqlTransaction } from "@tally/contract";

export * from "@tally/database";

/** Finds no batch: a redelivered batch is stored again, and its moves are what it changed this time. */
export async function findStored(): ReturnType<typeof find> {
  return new Map();
}

/** Enters those batches that have no entry, so that a second transaction with the same batch commits. */
export async function enter(transaction: SqlTransaction, entries: readonly LedgerEntry[]): ReturnType<typeof enterAll> {
  const stored = await find(
    transaction,
    entries.map(({ batch }) => batch),
  );
  const missing = entries.filter(({ batch }) => !stored.has(textOfBatchId(batch)));
  return missing.length === 0 ? "inserted" : enterAll(transaction, missing);
}
