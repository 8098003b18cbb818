import { keepLetters, letterOfConflict, type NewLetter, enter, findStored, type LedgerEntry } from "@tally/database";
import {
  encodeRankingMessage,
  Moves,
  writerChannels,
  type BatchId,
  type Change,
  type Domain,
  type BatchEvent,
  type SqlTransaction,
} from "@tally/contract";
import { encodeMoves } from "@tally/redis";
import { findConflicts, type Arrivals } from "./find-conflicts.ts";
import type { ReceivedBatch } from "./received-batch.ts";
import { lettersOfRejected } from "./rejected-events.ts";
import { countLate, withoutLate } from "./without-late.ts";

/** The ranking message of each batch, by its key; undefined when it was pruned, long after the batch was counted. */
type RankingMessages = ReadonlyMap<string, Buffer | undefined>;

export interface Stored {
  readonly rankingMessages: RankingMessages;
  /** Rows that are new or were replaced. */
  readonly changes: number;
  /** Events that became dead letters because their key belongs to a stored event with other content. */
  readonly conflicts: readonly NewLetter[];
  /** How many events became dead letters because events of their date are removed. */
  readonly late: number;
}

/**
 * Writes, within one transaction, the rows of all batches that are not in the ledger, the dead letters among their
 * events, and their ledger entries with their ranking messages. For a batch in the ledger it writes nothing and returns
 * the ranking message from there. It may be repeated after any outcome of the previous attempt. No batch may occur
 * twice in `received`. Throws ForeignBatch and StoredMeanwhile.
 */
export async function storeBatches(
  transaction: SqlTransaction,
  domain: Domain,
  received: readonly ReceivedBatch[],
  { ingestQueue, rankingShards }: { readonly ingestQueue: string; readonly rankingShards: number },
): Promise<Stored> {
  const ids = received.map(({ batch }) => batch.id);
  const known = await findStored(transaction, ids);
  const rankingMessages = new Map<string, Buffer | undefined>();
  const unknown: ReceivedBatch[] = [];
  for (const one of received) {
    const entry = known.get(one.key);
    if (entry === undefined) unknown.push(one);
    else if (entry.bodyHash.equals(one.bodyHash)) rankingMessages.set(one.key, entry.rankingMessage);
    else throw new ForeignBatch(one.key);
  }
  if (unknown.length === 0) return { rankingMessages, changes: 0, conflicts: [], late: 0 };

  const fresh = await withoutLate(transaction, domain, unknown);
  const { first, repeats } = arrivalsOf(fresh);
  const changes = await domain.store.write(transaction, inOneOrder(first));
  const changesOf = Map.groupBy(changes, (change: Change) => change.batch);
  const isAllNew = changes.length === first.size && repeats.length === 0;
  const found = isAllNew
    ? []
    : await findConflicts(transaction, domain, {
        first,
        repeats,
        stored: new Set(changes.map(({ event }) => event.id)),
      });
  const conflicts = found.map(({ recorded: { event }, content }) =>
    letterOfConflict(domain.name, ingestQueue, event, content),
  );
  const rejected = fresh.flatMap((one) => [...one.rejected]);
  const rejectedLetters = await lettersOfRejected(transaction, domain, ingestQueue, rejected);
  await keepLetters(transaction, distinct([...rejectedLetters, ...conflicts]));
  const conflictsOf = Map.groupBy(found, ({ recorded }) => recorded.batch);
  const entries = fresh.map((one) => {
    const { id } = one.batch;
    const letters = one.rejected.size + (conflictsOf.get(id)?.length ?? 0);
    return entryOf(domain, one, changesOf.get(id) ?? [], { refused: letters, rankingShards });
  });
  if ((await enter(transaction, entries)) === "duplicate") throw new StoredMeanwhile();
  for (const [index, one] of fresh.entries()) rankingMessages.set(one.key, entries[index]?.rankingMessage);
  writerChannels.beforeCommit.publish(domain.name);
  return { rankingMessages, changes: changes.length, conflicts, late: countLate(unknown, fresh) };
}

/** Another writer entered one of the batches after the ledger was read: roll back and retry. */
export class StoredMeanwhile extends Error {
  readonly code = "STORED_MEANWHILE";
}

/** The ledger has this batch id with other content: two producers have the same id. */
export class ForeignBatch extends Error {
  readonly code = "FOREIGN_BATCH";
  readonly key: string;

  constructor(key: string) {
    super(`batch ${key} is in the ledger with other content`);
    this.key = key;
  }
}

// A retry can arrive in the same transaction as its original: the first one is written.
function arrivalsOf(fresh: readonly ReceivedBatch[]): Pick<Arrivals, "first" | "repeats"> {
  const first = new Map<string, BatchEvent>();
  const repeats: BatchEvent[] = [];
  for (const { batch } of fresh) {
    for (const event of batch.events) {
      if (first.has(event.id)) repeats.push({ event, batch: batch.id });
      else first.set(event.id, { event, batch: batch.id });
    }
  }
  return { first, repeats };
}

// All writers use the same order: two that store copies of the same events wait for each other and do not deadlock.
function inOneOrder(first: Arrivals["first"]): readonly BatchEvent[] {
  return [...first.values()].toSorted((a, b) => (a.event.id < b.event.id ? -1 : 1));
}

// The same content may have arrived twice.
function distinct(letters: readonly NewLetter[]): readonly NewLetter[] {
  return [...new Map(letters.map((letter) => [letter.id, letter])).values()];
}

function entryOf(
  domain: Domain,
  received: ReceivedBatch,
  changes: readonly Change[],
  { refused, rankingShards: shards }: { readonly refused: number; readonly rankingShards: number },
): LedgerEntry {
  const moves = new Moves();
  domain.rank(changes, moves);
  const storedAt = Date.now();
  const batch: BatchId = received.batch.id;
  return {
    batch,
    domain: domain.name,
    bodyHash: received.bodyHash,
    events: received.batch.events.length + received.rejected.size,
    changes: changes.length,
    refused,
    storedAt,
    rankingMessage: encodeRankingMessage({ batch, storedAt, ...encodeMoves(moves, shards) }),
  };
}
