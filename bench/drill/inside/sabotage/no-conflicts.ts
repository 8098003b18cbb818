import { keepLetters as keep, type NewLetter } from "@tally/database";
import type { SqlTransaction } from "@tally/contract";

export * from "@tally/database";

/** Drops events whose id is stored with other content, as if they were duplicates. */
export async function keepLetters(transaction: SqlTransaction, letters: readonly NewLetter[]): ReturnType<typeof keep> {
  return keep(
    transaction,
    letters.filter(({ stage }) => stage !== "conflict"),
  );
}
