import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError, type Database } from "@tally/database";
import { letterOfMessage } from "@tally/dead-letters";
import { Outage, type Log } from "@tally/failures";
import type { Delivery, Publisher } from "@tally/messaging";
import { batchDecoder, UndecodableBatch, writerChannels, type Domain, type Event } from "@tally/pipeline";
import { findRefused } from "./find-refused.ts";
import type { LetterKeeper } from "./letter-keeper.ts";
import { receive, without, type ReceivedBatch } from "./received-batch.ts";
import { ForeignBatch, storeBatches, StoredMeanwhile, type RankingBodies, type Stored } from "./store-batches.ts";
import { WaitingLine, type LineLimits } from "./waiting-line.ts";

/*
 * The life of a delivery:
 *
 *   waiting      it came and stands in line until a transaction is full or the last one began a while ago; the line is never
 *                longer than the consumer's prefetch
 *   storing      it is in the one transaction that is under way, with all others that waited
 *   announcing   committed; its moves are on their way to the rank queue. The next transaction runs meanwhile
 *   done         moves confirmed, delivery acknowledged
 *
 * Whatever dies on this way, the delivery comes again, and the ledger tells how far it got. A batch that the database
 * refuses for its data is stored without the events at fault; those become dead letters. All other faults wait.
 */

export interface BatchWriterOptions {
  readonly domain: Domain;
  readonly database: Database;
  readonly publisher: Publisher;
  readonly keeper: LetterKeeper;
  readonly ingestQueue: string;
  readonly rankQueue: string;
  readonly rankingShards: number;
  readonly line: LineLimits;
  /** A transaction that is not full begins so long after the one before it, in ms. */
  readonly transactionEveryMs: number;
  readonly log: Log;
  /** Told after each commit. */
  readonly onStored: (figures: StoredFigures) => void;
}

export interface StoredFigures {
  readonly batches: number;
  readonly events: number;
  readonly changes: number;
  /** Events whose key belongs to a stored event with other content; they are dead letters. */
  readonly conflicts: number;
  readonly transactionMs: number;
  /** From the moment the gateway sealed the oldest of these batches to the commit. */
  readonly oldestMs: number;
}

const retryMs = 500;

export class BatchWriter {
  readonly #o: BatchWriterOptions;
  readonly #decode;
  readonly #outage: Outage;
  readonly #rankOutage: Outage;
  readonly #line: WaitingLine;
  #storing: Promise<void> | undefined;
  #begunAtMs = 0;
  #lookAgain: () => void = () => undefined;
  readonly #announcing = new Set<Promise<void>>();

  constructor(options: BatchWriterOptions) {
    this.#o = options;
    this.#decode = batchDecoder(options.domain.event);
    this.#line = new WaitingLine(options.line);
    this.#outage = new Outage(options.log, `store ${options.domain.name}`);
    this.#rankOutage = new Outage(options.log, `hand what was stored of ${options.domain.name} to the rank queue`);
  }

  /** Takes a delivery of the domain's ingest queue. */
  take(delivery: Delivery): void {
    try {
      this.#line.push(receive(this.#decode, delivery));
      this.#storing ??= this.#run();
      this.#lookAgain();
    } catch (error) {
      if (!(error instanceof UndecodableBatch)) throw error;
      this.#giveUp(delivery, error.message, () => delivery.ack());
    }
  }

  /** Finishes what was taken: stores it, announces it, acknowledges it. No more deliveries may come. */
  async drain(): Promise<void> {
    while (this.#storing !== undefined || this.#announcing.size > 0) {
      await this.#storing;
      await Promise.all(this.#announcing);
    }
  }

  // Never runs twice at once: take starts it only when it has ended.
  async #run(): Promise<void> {
    // The deliveries of one read of the socket come in one turn: let them all come before the first transaction.
    await new Promise(setImmediate);
    while (!this.#line.isEmpty) {
      const waitMs = this.#begunAtMs + this.#o.transactionEveryMs - performance.now();
      if (waitMs > 0 && !this.#line.isFull) {
        await this.#nextOr(waitMs);
        continue;
      }
      this.#begunAtMs = performance.now();
      const { group, copies } = this.#line.cut();
      await this.#store(group, copies);
    }
    this.#storing = undefined;
  }

  // Until the next delivery is taken, and not longer than that.
  #nextOr(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#lookAgain = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #store(group: readonly ReceivedBatch[], copies: readonly ReceivedBatch[]): Promise<void> {
    const begunAt = performance.now();
    const stored = await this.#transaction(group);
    if (stored instanceof Error) {
      await this.#storeDespite(stored, group, copies);
      return;
    }
    this.#o.onStored({
      batches: group.length,
      events: group.reduce((sum, { batch }) => sum + batch.events.length, 0),
      changes: stored.changes,
      conflicts: stored.conflicts.length,
      transactionMs: performance.now() - begunAt,
      oldestMs: Date.now() - Math.min(...group.map(({ batch }) => batch.createdAt)),
    });
    for (const { id, domain, stage, reason, messageId } of stored.conflicts) {
      this.#o.log.error({ id, domain, stage, reason, storedEvent: messageId }, "dead letter");
    }
    for (const received of [...group, ...copies]) this.#track(this.#announce(received, stored.bodies));
  }

  /** Resolves with an error only when the data of one of the batches is at fault; everything else is tried again. */
  async #transaction(group: readonly ReceivedBatch[]): Promise<Stored | Error> {
    for (;;) {
      try {
        const stored = await this.#o.database.transaction((transaction) =>
          storeBatches(transaction, this.#o.domain, group, this.#o),
        );
        writerChannels.afterCommit.publish(this.#o.domain.name);
        this.#outage.worked();
        return stored;
      } catch (error) {
        if (error instanceof ForeignBatch || (error instanceof DatabaseError && error.kind === "data")) return error;
        // Another writer held a second copy of one of these batches and was faster: now the ledger knows it.
        if (error instanceof StoredMeanwhile) continue;
        this.#outage.failed(error);
        await delay(retryMs);
      }
    }
  }

  /** One of the batches is at fault: each is stored alone, and that one without the events at fault. */
  async #storeDespite(fault: Error, group: readonly ReceivedBatch[], copies: readonly ReceivedBatch[]): Promise<void> {
    const [only] = group;
    if (group.length > 1 || only === undefined) {
      for (const one of group) {
        const own = copies.filter((copy) => copy.key === one.key);
        await this.#store([one], own);
      }
      return;
    }
    if (fault instanceof ForeignBatch) {
      this.#giveUp(only.delivery, fault.message, () => [only, ...copies].forEach(({ delivery }) => delivery.ack()));
      return;
    }
    await this.#store([without(only, await this.#refusedOf(only))], copies);
  }

  /** Which events of a batch are at fault. Waits while the database is away, and a moment when it refuses nothing any more. */
  async #refusedOf(batch: ReceivedBatch): Promise<ReadonlyMap<Event, string>> {
    for (;;) {
      try {
        const refused = await findRefused(this.#o.database, this.#o.domain, batch);
        this.#outage.worked();
        if (refused.size === 0) await delay(retryMs);
        return refused;
      } catch (error) {
        this.#outage.failed(error);
        await delay(retryMs);
      }
    }
  }

  async #announce({ key, delivery }: ReceivedBatch, bodies: RankingBodies): Promise<void> {
    const body = bodies.get(key);
    while (body !== undefined) {
      const outcome = await this.#o.publisher.publish({ queue: this.#o.rankQueue, messageId: key, body });
      if (outcome === "expired") return;
      if (outcome === "confirmed") {
        this.#rankOutage.worked();
        break;
      }
      this.#rankOutage.failed(new Error(`${this.#o.rankQueue}: ${outcome}`));
      await delay(retryMs);
    }
    writerChannels.beforeAcknowledgement.publish(this.#o.domain.name);
    delivery.ack();
    writerChannels.afterAcknowledgement.publish(this.#o.domain.name);
  }

  #giveUp({ messageId, body }: Delivery, reason: string, kept: () => void): void {
    const { domain, ingestQueue: queue, keeper } = this.#o;
    keeper.keep(letterOfMessage({ domain: domain.name, stage: "message", queue, messageId, reason, body }), kept);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#announcing.delete(tracked));
    this.#announcing.add(tracked);
  }
}
