import { enter as enterAll, findKnown as find, type LedgerEntry } from "@tally/ledger";
import { textOfBatchId, type SqlTransaction } from "@tally/pipeline";

export * from "@tally/ledger";

/** No batch is known: one that comes again is stored again, and its moves are what it changed this time. */
export async function findKnown(): ReturnType<typeof find> {
  return new Map();
}

/** Enters those batches that have no entry, so that a second transaction with the same batch commits. */
export async function enter(transaction: SqlTransaction, entries: readonly LedgerEntry[]): ReturnType<typeof enterAll> {
  const known = await find(
    transaction,
    entries.map(({ batch }) => batch),
  );
  const unknown = entries.filter(({ batch }) => !known.has(textOfBatchId(batch)));
  return unknown.length === 0 ? "inserted" : enterAll(transaction, unknown);
}
