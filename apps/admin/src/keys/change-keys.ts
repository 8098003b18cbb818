import type { SqlTransaction } from "@tally/pipeline";
import { openDatabase } from "../open-system.ts";

const withinMs = 15_000;

/** Runs one change of keys in a transaction. Throws a DatabaseError when the write endpoint does not take it within 15 s. */
export async function changeKeys<T>(change: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
  const { database } = openDatabase();
  try {
    return await database.transaction(change, { giveUpAfterMs: withinMs });
  } finally {
    await database.close();
  }
}
