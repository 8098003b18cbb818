import { DatabaseError, type Database } from "@tally/database";
import type { Domain, Event, BatchEvent } from "@tally/contract";
import type { ReceivedBatch } from "./received-batch.ts";

/**
 * Returns the events of a batch that the database rejects for their data, and why. Bisects in transactions that it rolls back: about
 * 2·log2(events) for each such event. Writes nothing.
 */
export async function findRefused(
  database: Database,
  domain: Domain,
  { batch }: ReceivedBatch,
): Promise<ReadonlyMap<Event, string>> {
  const refused = new Map<Event, string>();
  await probe(batch.events);
  return refused;

  async function probe(events: readonly Event[]): Promise<void> {
    const reason = await reasonAgainst(events);
    if (reason === undefined) return;
    const [only] = events;
    if (events.length === 1 && only !== undefined) return void refused.set(only, reason);
    const middle = Math.ceil(events.length / 2);
    await probe(events.slice(0, middle));
    await probe(events.slice(middle));
  }

  async function reasonAgainst(events: readonly Event[]): Promise<string | undefined> {
    // As in storeBatches: of several events with one id the first is written.
    const distinct = new Map<string, BatchEvent>();
    for (const event of events) if (!distinct.has(event.id)) distinct.set(event.id, { event, batch: batch.id });
    try {
      await database.transaction(async (transaction) => {
        await domain.store.write(transaction, [...distinct.values()]);
        throw new RolledBack();
      });
    } catch (error) {
      if (error instanceof RolledBack) return undefined;
      if (error instanceof DatabaseError && error.kind === "data") return error.message;
      throw error;
    }
    return undefined;
  }
}

class RolledBack extends Error {
  readonly code = "ROLLED_BACK";
}
