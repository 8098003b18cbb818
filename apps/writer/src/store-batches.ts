import { enter, findFolded, findStored, foreignBatchReason, joinEpoch } from "@tally/database";
import { keepLetters, letterOfConflict } from "@tally/database";
import type { LedgerEntry, NewLetter } from "@tally/database";
import { contentOf, encodeRankingMessage, keptSince, Moves, textOfSeries, writerChannels } from "@tally/contract";
import type { SeriesSettings } from "@tally/contract";
import type { Change, Domain, BatchEvent, SqlTransaction, Event, Refusal, SqlReader } from "@tally/contract";
import { encodeMoves } from "@tally/redis";
import { type ReceivedBatch, withoutLate } from "./received-batch.ts";
import { lettersOfRejected } from "./rejected-events.ts";

/** How ranking messages are made. */
export interface Ranked {
  readonly rankingShards: number;
  readonly series: SeriesSettings;
}

export interface Stored {
  /** By the key of the batch; undefined when it is folded, so it was ranked long ago. */
  readonly rankingMessages: ReadonlyMap<string, Buffer | undefined>;
  /** Likewise, of the batches that were entered now. */
  readonly changesOf: ReadonlyMap<string, readonly Change[]>;
  /** Rows that are new or were replaced. */
  readonly changes: number;
  /** Events that became dead letters because their key belongs to a stored event with other content. */
  readonly conflicts: readonly NewLetter[];
  /** How many events became dead letters because events of their date are removed. */
  readonly late: number;
  /** Dead letters of events that the rows do not admit. */
  readonly refused: readonly NewLetter[];
}

/** Writes, within one transaction, the rows of all batches that are new, the dead letters among their
 * events, and their ledger entries with their ranking messages. For a batch in the ledger it only returns the ranking
 * message. `folded`: keys of batches that are known to be folded. May be repeated after any outcome. No batch
 * may occur twice in `received`. Throws ForeignBatch, StoredMeanwhile and LateCopies. */
export async function storeBatches(
  transaction: SqlTransaction,
  domain: Domain,
  received: readonly ReceivedBatch[],
  { ingestQueue, ...ranked }: Ranked & { readonly ingestQueue: string },
  folded: ReadonlySet<string> = new Set(),
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
  const nothing = { changesOf: new Map(), changes: 0, conflicts: [], late: 0, refused: [] };
  if (unknown.length === 0) return { rankingMessages, ...nothing };

  const { epoch, now: storedAt } = await joinEpoch(transaction, domain.name);
  const fresh = await withoutLate(transaction, domain, unknown, storedAt);
  const entered = fresh.filter(({ key }) => !folded.has(key));
  const { first, repeats } = arrivalsOf(fresh);
  const refusals = new Map<Event, Refusal>();
  const refuse = (event: Event, refusal: Refusal) => refusals.set(event, refusal);
  const changes = await domain.store.write(transaction, [...first.values()], refuse);
  const changesOf = Map.groupBy(changes, ({ batch }) => batch);
  const found = await findConflicts(transaction, domain, { first, repeats, changes, refusals });
  const conflicts = found.map(({ recorded: { event }, content }) =>
    letterOfConflict(domain.name, ingestQueue, event, content),
  );
  // Those of a folded batch were stored, or are dead letters.
  const rejected = entered.flatMap((one) =>
    Array.from(one.rejected, ([event, reason]) => [event, { reason }] as const),
  );
  const lettersNow = () => lettersOfRejected(transaction, domain, ingestQueue, [...rejected, ...refusals]);
  const rejectedLetters = await lettersNow();
  // The same content may have arrived twice.
  const letters = new Map([...rejectedLetters, ...conflicts].map((letter) => [letter.id, letter]));
  await keepLetters(transaction, [...letters.values()]);
  // They are locked: other content that had an id meanwhile is seen now.
  const lettersSeen = await lettersNow();
  if (lettersSeen.some(({ id }, at) => id !== rejectedLetters[at]?.id)) throw new StoredMeanwhile();
  const conflictsOf = Map.groupBy(found, ({ recorded }) => recorded.batch);
  const refusedIn = Map.groupBy(refusals.keys(), ({ id }) => first.get(id)?.batch);
  for (const { key, batch } of fresh) {
    if (!folded.has(key)) continue;
    // The ledger has the content of a folded batch no more: a copy changes nothing.
    if (changesOf.has(batch.id)) throw new ForeignBatch(key);
    rankingMessages.set(key, undefined);
  }
  const kept = keptSince(ranked.series, storedAt);
  const entries = entered.map(({ batch: { id: batch, events }, bodyHash, rejected: { size } }): LedgerEntry => {
    const own = changesOf.get(batch) ?? [];
    const refused = size + (conflictsOf.get(batch)?.length ?? 0) + (refusedIn.get(batch)?.length ?? 0);
    const moves = new Moves();
    domain.rank(own, moves, kept);
    const message = { batch, storedAt, series: textOfSeries(kept), ...encodeMoves(moves, ranked.rankingShards) };
    const counts = { events: events.length + size, changes: own.length, refused };
    const rankingMessage = encodeRankingMessage(message);
    return { batch, domain: domain.name, bodyHash, ...counts, epoch, storedAt, rankingMessage };
  });
  if ((await enter(transaction, entries)) === "duplicate") throw new StoredMeanwhile();
  // After the entry: what is folded later was entered before, and would have been a duplicate.
  const enteredIds = entered.map(({ batch }) => batch.id);
  const late = await findFolded(transaction, domain.name, enteredIds);
  if (late.size > 0) throw new LateCopies(new Set([...folded, ...late]));
  for (const [index, one] of entered.entries()) rankingMessages.set(one.key, entries[index]?.rankingMessage);
  writerChannels.beforeCommit.publish(domain.name);
  return {
    rankingMessages,
    changesOf: new Map(entered.map(({ key, batch }) => [key, changesOf.get(batch.id) ?? []])),
    changes: changes.length,
    conflicts,
    late: rejected.length - unknown.reduce((sum, { key, rejected: { size } }) => sum + (folded.has(key) ? 0 : size), 0),
    refused: rejectedLetters.slice(rejected.length),
  };
}

/** Another writer entered a batch, or kept a letter, after these were read: roll back and retry. */
export class StoredMeanwhile extends Error {
  readonly code = "STORED_MEANWHILE";
}

/** Copies of folded batches: roll back, and retry with their keys as `folded`. */
export class LateCopies extends Error {
  readonly code = "LATE_COPIES";
  readonly keys: ReadonlySet<string>;

  constructor(keys: ReadonlySet<string>) {
    super(`${keys.size} batches are folded`);
    this.keys = keys;
  }
}

/** The database has this batch id with other content: two producers have the same id. */
export class ForeignBatch extends Error {
  readonly code = "FOREIGN_BATCH";

  constructor(key: string) {
    super(`batch ${key} ${foreignBatchReason}`);
  }
}

// A retry can arrive in the same transaction as its original: the first one is written.
function arrivalsOf(fresh: readonly ReceivedBatch[]): Pick<Arrivals, "first" | "repeats"> {
  const first = new Map<string, BatchEvent>();
  const repeats: BatchEvent[] = [];
  for (const { batch } of fresh) {
    for (const event of batch.events) {
      const one = { event, batch: batch.id };
      if (first.getOrInsert(event.id, one) !== one) repeats.push(one);
    }
  }
  return { first, repeats };
}

/** All events of a transaction, after the first of each id was written. */
interface Arrivals {
  /** The first event of each id. */
  readonly first: ReadonlyMap<string, BatchEvent>;
  /** Those that became rows. */
  readonly changes: readonly Change[];
  /** Those that became dead letters, because the rows do not admit them. */
  readonly refusals: ReadonlyMap<Event, Refusal>;
  /** Further events with an id that occurred before in the transaction. */
  readonly repeats: readonly BatchEvent[];
}

/** Compares every event whose id existed before with its row, or with the first event of its id in this transaction.
 * Other content is a conflict: a client used an Idempotency-Key for two events. Reads nothing without duplicates. */
async function findConflicts(
  reader: SqlReader,
  { store, arrivalFields }: Domain,
  { first, changes, repeats, refusals }: Arrivals,
) {
  if (changes.length + refusals.size === first.size && repeats.length === 0) return [];
  const stored = new Set(changes.map(({ event }) => event.id));
  const isNew = (event: Event): boolean => stored.has(event.id) || refusals.has(event);
  const known = [...first.values()].filter(({ event }) => !isNew(event));
  const content = (event: Event): string => contentOf(event, arrivalFields);
  const contents = new Set<string>();
  // A table with partitions may have several rows of one id (docs/decisions/0023-retention.md).
  for (let at = 0; at < known.length; at += store.readMax) {
    const ids = known.slice(at, at + store.readMax).map(({ event }) => event.id);
    for (const event of await store.read(reader, ids)) contents.add(`${event.id} ${content(event)}`);
  }
  for (const { event } of repeats) {
    const own = first.get(event.id)?.event;
    if (own !== undefined && isNew(own)) contents.add(`${own.id} ${content(own)}`);
  }
  return [...known, ...repeats]
    .map((recorded) => ({ recorded, content: content(recorded.event) }))
    .filter((one) => !contents.has(`${one.recorded.event.id} ${one.content}`));
}
