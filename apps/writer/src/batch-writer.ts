import { DatabaseError, type Database, letterOfMessage } from "@tally/database";
import { backOff, Outage, type Log } from "@tally/runtime";
import type { Delivery, Publisher } from "@tally/broker";
import { batchDecoder, UndecodableBatch, writerChannels, type Domain } from "@tally/contract";
import type { Tracer } from "@tally/telemetry";
import type { changeFeed } from "./change-feed.ts";
import { findRejected, retried, type LetterKeeper } from "./rejected-events.ts";
import { receive, traceStored, without, type ReceivedBatch } from "./received-batch.ts";
import { ForeignBatch, LateCopies, storeBatches, StoredMeanwhile, type Ranked, type Stored } from "./store-batches.ts";
import { WaitingLine, type LineLimits } from "./waiting-line.ts";

/*
 * The life of a delivery:
 *
 *   waiting      in the line until a transaction is full, or starts transactionEveryMs after the previous one started.
 *                The line is never longer than the consumer's prefetch
 *   storing      in the one transaction that runs, with all others that waited
 *   announcing   committed; its ranking message and its changes are being published. The next transaction may run
 *   done         these are confirmed, the delivery acknowledged
 *
 * After a crash in any state the broker delivers it again, and the ledger shows how far it got. A batch that the
 * database rejects for its data is stored without the faulty events, which become dead letters. All other errors are
 * retried, until `signal` aborts: what is not acknowledged then is delivered to another writer.
 */

export interface BatchWriterOptions extends Ranked {
  readonly domain: Domain;
  readonly database: Database;
  readonly publisher: Publisher;
  readonly keeper: LetterKeeper;
  readonly ingestQueue: string;
  readonly rankQueue: string;
  /** Absent: changes are not published. */
  readonly feed?: ReturnType<typeof changeFeed> | undefined;
  readonly line: LineLimits;
  /** A transaction that is not full begins this long after the start of the one before it, in ms. */
  readonly transactionEveryMs: number;
  /** Ends all retries. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly tracer: Tracer;
  readonly onStored: (figures: StoredFigures) => void;
  /** Called when a batch's ranking message is confirmed: the time since its commit. */
  readonly onAnnounced: (ms: number) => void;
}

export interface StoredFigures {
  readonly batches: number;
  readonly events: number;
  readonly changes: number;
  /** Dead letters: events whose key belongs to a stored event with other content. */
  readonly conflicts: number;
  /** Dead letters: events that the database or the rows rejected, or whose date is removed. */
  readonly rejected: number;
  /** Events that wait for another one. */
  readonly parked: number;
  /** From the delivery of the oldest batch to the start of the transaction. */
  readonly waitedMs: number;
  readonly transactionMs: number;
  /** From the time when the gateway flushed the oldest of these batches to the commit. */
  readonly oldestMs: number;
}

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  readonly #decode;
  readonly #outage: Outage;
  readonly #rankOutage: Outage;
  readonly #line: WaitingLine;
  #storing: Promise<void> | undefined;
  #begunAtMs = 0;
  #endWait: () => void = () => undefined;
  readonly #announcing = new Set<Promise<void>>();
  readonly #unexplained = new WeakSet<Delivery>();

  constructor(options: BatchWriterOptions) {
    this.#options = options;
    this.#decode = batchDecoder(options.domain.event, options.domain.eventVersion);
    this.#line = new WaitingLine(options.line);
    this.#outage = new Outage(options.log, `store ${options.domain.name}`);
    this.#rankOutage = new Outage(options.log, `publish ranking messages of ${options.domain.name}`);
  }

  /** Takes a delivery of the domain's ingest queue. */
  take(delivery: Delivery): void {
    try {
      this.#line.push(receive(this.#decode, delivery));
      this.#storing ??= this.#run();
      this.#endWait();
    } catch (error) {
      if (!(error instanceof UndecodableBatch)) throw error;
      this.#keepAsLetter(error.message, delivery);
    }
  }

  /** Resolves when every delivery that was taken is acknowledged, or `signal` has aborted and no attempt runs. */
  async drain(): Promise<void> {
    while (this.#storing !== undefined || this.#announcing.size > 0) {
      await this.#storing;
      await Promise.all(this.#announcing);
    }
  }

  // Never runs twice at once: `take` starts it only when it has ended.
  async #run(): Promise<void> {
    // The deliveries of one read of the socket arrive in one turn: the first transaction begins after it.
    await new Promise(setImmediate);
    while (!this.#line.isEmpty && !this.#options.signal.aborted) {
      const waitMs = this.#begunAtMs + this.#options.transactionEveryMs - performance.now();
      if (waitMs > 0 && !this.#line.isFull) {
        await this.#nextDelivery(waitMs);
        continue;
      }
      this.#begunAtMs = performance.now();
      const { group, copies } = this.#line.cut();
      await this.#store(group, copies);
    }
    this.#storing = undefined;
  }

  // Resolves when a delivery is taken, at the latest after `waitMs`.
  #nextDelivery(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #store(group: readonly ReceivedBatch[], copies: readonly ReceivedBatch[]): Promise<void> {
    const begunAt = performance.now();
    const stored = await this.#transaction(group);
    if (stored === undefined) return;
    if (stored instanceof Error) return this.#storeWithout(stored, group, copies);
    const storedAt = performance.now();
    const refused = stored.refused.filter(({ waitsFor }) => waitsFor === undefined);
    const rejected = group.flatMap((one) => [...one.rejected]);
    this.#options.onStored({
      batches: group.length,
      events: group.reduce((sum, { batch }) => sum + batch.events.length, 0),
      changes: stored.changes,
      conflicts: stored.conflicts.length,
      rejected: stored.late + refused.length + rejected.length,
      parked: stored.refused.length - refused.length,
      waitedMs: begunAt - Math.min(...group.map(({ deliveredAtMs }) => deliveredAtMs)),
      transactionMs: storedAt - begunAt,
      oldestMs: Math.max(0, Date.now() - Math.min(...group.map(({ batch }) => batch.createdAt))),
    });
    for (const { id, domain, stage, reason, messageId } of stored.conflicts)
      this.#options.log.error({ id, domain, stage, reason, storedEvent: messageId }, "dead letter");
    for (const { id, domain, stage, reason } of refused)
      this.#options.log.error({ id, domain, stage, reason }, "dead letter");
    const { tracer, domain, log } = this.#options;
    for (const [{ id }, reason] of rejected)
      log.error({ id, domain: domain.name, stage: "rejected", reason }, "dead letter");
    // One line: an import of old events may have thousands.
    if (stored.late > 0)
      log.error(
        { domain: domain.name, stage: "rejected", events: stored.late },
        "dead letters: their dates are removed",
      );
    for (const received of [...group, ...copies]) {
      const headers = traceStored(tracer, domain.name, received, [...stored.conflicts, ...stored.refused]);
      const announced = this.#announce(received, stored, headers, storedAt);
      const tracked = announced.finally(() => this.#announcing.delete(tracked));
      this.#announcing.add(tracked);
    }
  }

  /** Returns an error only when the data of one batch is rejected; retries after any other error until `signal` aborts,
   * then undefined. */
  async #transaction(group: readonly ReceivedBatch[]): Promise<Stored | Error | undefined> {
    const { database, domain, signal } = this.#options;
    let folded: ReadonlySet<string> | undefined;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        const stored = await database.transaction(
          (transaction) => storeBatches(transaction, domain, group, this.#options, folded),
          { signal },
        );
        writerChannels.afterCommit.publish(domain.name);
        this.#outage.worked();
        return stored;
      } catch (error) {
        if (error instanceof ForeignBatch || (error instanceof DatabaseError && error.kind === "data")) return error;
        // Another writer has stored a second copy of one of these batches: now the ledger has it.
        if (error instanceof StoredMeanwhile) continue;
        if (error instanceof LateCopies) {
          folded = error.keys;
          continue;
        }
        this.#outage.failed(error);
        await backOff(failures, error, signal);
      }
    }
    return undefined;
  }

  /** Stores each batch in its own transaction, the faulty one without its rejected events. */
  async #storeWithout(fault: Error, group: readonly ReceivedBatch[], copies: readonly ReceivedBatch[]): Promise<void> {
    const [only] = group;
    if (group.length > 1 || only === undefined) {
      for (const one of group) {
        const own = copies.filter((copy) => copy.key === one.key);
        await this.#store([one], own);
      }
      return;
    }
    const deliveries = [only.delivery, ...copies.map(({ delivery }) => delivery)] as const;
    if (fault instanceof ForeignBatch) return this.#keepAsLetter(fault.message, ...deliveries);
    const { database, domain, signal } = this.#options;
    const rejected = await retried(this.#outage, () => findRejected(database, domain, only, signal), signal);
    if (rejected === "aborted") return;
    if (rejected.size === 0) {
      // The database may reject none by now. Twice: it rejects what all events have in common, such as their moves.
      if (this.#unexplained.has(only.delivery)) return this.#keepAsLetter(fault.message, ...deliveries);
      this.#unexplained.add(only.delivery);
      await backOff(1, undefined, signal);
    }
    await this.#store([without(only, rejected)], copies);
  }

  /** `storedAt`: by performance.now(). */
  async #announce(
    received: ReceivedBatch,
    { rankingMessages, changesOf }: Stored,
    headers: Readonly<Record<string, string>> | undefined,
    storedAt: number,
  ): Promise<void> {
    const { feed, domain } = this.#options;
    const { key, delivery } = received;
    const [isRanked, published] = await Promise.all([
      this.#publishRanking(key, rankingMessages.get(key), headers, storedAt),
      feed?.(received, changesOf.get(key)),
    ]);
    if (!isRanked || published === "aborted") return;
    writerChannels.beforeAcknowledgement.publish(domain.name);
    delivery.ack();
    writerChannels.afterAcknowledgement.publish(domain.name);
  }

  /** `body`: undefined when the batch is folded. Returns false when the writer stops before the confirm. */
  async #publishRanking(
    key: string,
    body: Buffer | undefined,
    headers: Readonly<Record<string, string>> | undefined,
    storedAt: number,
  ): Promise<boolean> {
    if (body === undefined) return true;
    const { publisher, rankQueue: queue, onAnnounced, signal } = this.#options;
    const publish = async (): Promise<void> => {
      const outcome = await publisher.publish({ queue, messageId: key, body, ...(headers && { headers }) });
      if (outcome !== "confirmed")
        throw Object.assign(new Error(`${queue}: ${outcome}`), { failureClass: "unavailable" });
    };
    if ((await retried(this.#rankOutage, publish, signal)) === "aborted") return false;
    onAnnounced(performance.now() - storedAt);
    return true;
  }

  #keepAsLetter(reason: string, delivery: Delivery, ...copies: readonly Delivery[]): void {
    const { domain, ingestQueue: queue, keeper } = this.#options;
    const { messageId, body } = delivery;
    const letter = letterOfMessage({ domain: domain.name, stage: "message", queue, messageId, reason, body });
    keeper.keep(letter, delivery, ...copies);
  }
}
