import { keepLetters as keep, type NewLetter } from "@tally/dead-letters";
import type { SqlTransaction } from "@tally/pipeline";

export * from "@tally/dead-letters";

/** Drops events whose id is stored with other content, as if they were duplicates. */
export async function keepLetters(transaction: SqlTransaction, letters: readonly NewLetter[]): ReturnType<typeof keep> {
  return keep(
    transaction,
    letters.filter(({ stage }) => stage !== "conflict"),
  );
}
