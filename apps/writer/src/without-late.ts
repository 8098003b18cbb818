import type { Domain, SqlTransaction } from "@tally/contract";
import { retainedFrom, surelyRetainedFrom } from "@tally/database";
import { without, type ReceivedBatch } from "./received-batch.ts";

/**
 * Moves events of removed months to `rejected`: each may be sent again after its row was removed, and would count
 * twice. Must come before the rows are written, in their transaction. Compares one number for each event; reads only if
 * an event is more than 30 days old.
 */
export async function withoutLate(
  transaction: SqlTransaction,
  { name, retention }: Domain,
  batches: readonly ReceivedBatch[],
): Promise<readonly ReceivedBatch[]> {
  if (retention === undefined) return batches;
  const { dateOf } = retention;
  const surely = surelyRetainedFrom(Date.now());
  if (!batches.some(({ batch }) => batch.events.some((event) => dateOf(event) < surely))) return batches;
  const from = await retainedFrom(transaction, name, retention);
  if (from === undefined) return batches;
  return batches.map((one) => {
    const late = one.batch.events.filter((event) => dateOf(event) < from);
    return late.length === 0 ? one : without(one, new Map(late.map((event) => [event, reasonOf(dateOf(event), from)])));
  });

  function reasonOf(date: number, retained: number): string {
    return `late: its date ${date} is before ${retained}; earlier ${name} are exported and removed, so it may be a retry of one of them`;
  }
}

/** How many events `withoutLate` moved. */
export function countLate(before: readonly ReceivedBatch[], after: readonly ReceivedBatch[]): number {
  const rejected = (batches: readonly ReceivedBatch[]) => batches.reduce((sum, one) => sum + one.rejected.size, 0);
  return rejected(after) - rejected(before);
}
