import { setTimeout as delay } from "node:timers/promises";
import { clockOf, openParked, readyLetters, settleLetter, type Database, type DeadLetter } from "@tally/database";
import { BatchIds, encodeBatch, textOfBatchId, unpackEvent, type BatchId, type Domain } from "@tally/contract";
import { Outage, type Log } from "@tally/runtime";
import type { BatchWriter } from "./batch-writer.ts";

const lookEveryMs = 1000;
// Many events may wait for sales that never come: then it looks less often.
const partOfTime = 1 / 20;
const lookAtLeastEveryMs = 10_000;
const openEveryMs = 60_000;
const lettersMax = 500;

interface ParkedOptions {
  readonly domain: Pick<Domain, "name" | "eventVersion">;
  /** The table of the events that others wait for. */
  readonly awaited: string;
  readonly database: Pick<Database, "transaction" | "writer">;
  readonly writer: Pick<BatchWriter, "take">;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Stores events that wait for another one, as a batch of their own, once that is stored. Looks once a second: a look-up
 * for each sale would cost every transaction, and could miss a sale of one that is not committed. Several processes may
 * do the same, and after a crash it is done again: an event keeps its id. */
export async function storeParked(options: ParkedOptions): Promise<void> {
  const { domain, database, signal, log } = options;
  const outage = new Outage(log, `store parked events of ${domain.name}`);
  const batches = new BatchIds();
  let openAt = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    let lookedMs = 0;
    try {
      const letters = await readyLetters(database.writer, domain.name, options.awaited, lettersMax);
      lookedMs = performance.now() - startedAt;
      if (letters.length > 0) await storeReady(options, letters, batches.next());
      if (startedAt >= openAt) {
        await database.transaction(async (one) => openParked(one, domain.name, await clockOf(one)), { signal });
        openAt = startedAt + openEveryMs;
      }
      outage.worked();
    } catch (error) {
      if (signal.aborted) return;
      outage.failed(error);
    }
    const waitMs = Math.min(Math.max(lookEveryMs, lookedMs / partOfTime), lookAtLeastEveryMs);
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

async function storeReady(
  { domain, database, writer, signal }: ParkedOptions,
  letters: readonly DeadLetter[],
  id: BatchId,
): Promise<void> {
  const events = letters.map(({ body }) => unpackEvent(body));
  const stored = Promise.withResolvers<void>();
  const stop = (): void => stored.resolve();
  signal.addEventListener("abort", stop);
  writer.take({
    body: encodeBatch(id, Date.now(), events, domain.eventVersion),
    messageId: textOfBatchId(id),
    // The change feed reads the rows: a process killed after its commit may have stored them in another batch.
    redelivered: true,
    headers: {},
    lost: false,
    ack: stop,
    reject: () => undefined,
  });
  await stored.promise;
  signal.removeEventListener("abort", stop);
  if (signal.aborted) return;
  // A letter that came again meanwhile, because the rows do not admit its event, stays as it is.
  // In the order of keepLetters, so that the two do not deadlock.
  const ordered = letters.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await database.transaction(
    async (transaction) => {
      for (const letter of ordered) await settleLetter(transaction, letter, "replayed");
    },
    { signal },
  );
}
