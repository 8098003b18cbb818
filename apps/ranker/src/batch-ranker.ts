import { setTimeout as delay } from "node:timers/promises";
import { Outage, type Log } from "@tally/failures";
import type { Delivery } from "@tally/messaging";
import { decodeRankingMessage, rankerChannels, UndecodableRankingMessage, type RankingMessage } from "@tally/pipeline";
import type { Rankings } from "@tally/rankings";

export interface BatchRankerOptions {
  readonly domain: string;
  readonly rankings: Rankings;
  readonly log: Log;
  /** Told after each batch: whether it was new to the rankings, and how long ago its rows were written. */
  readonly onRanked: (applied: boolean, behindMs: number) => void;
}

const retryMs = 500;

/** Applies deliveries of one domain's rank queue, several at once: each batch is atomic and their order does not matter. */
export class BatchRanker {
  readonly #o: BatchRankerOptions;
  readonly #outage: Outage;
  readonly #inHand = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: BatchRankerOptions) {
    this.#o = options;
    this.#outage = new Outage(options.log, `rank ${options.domain}`);
  }

  /** Takes a delivery; it is acknowledged when Redis has answered that its moves are in. */
  take(delivery: Delivery): void {
    const work = this.#rank(delivery).finally(() => this.#inHand.delete(work));
    this.#inHand.add(work);
  }

  /** Finishes what was taken. No more deliveries may come. */
  async drain(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand);
  }

  /** Begins nothing more; what is not acknowledged comes again to another ranker. */
  stop(): void {
    this.#stopped = true;
  }

  async #rank(delivery: Delivery): Promise<void> {
    const message = this.#decode(delivery);
    while (message !== undefined && !this.#stopped) {
      try {
        rankerChannels.beforeCommit.publish(this.#o.domain);
        const applied = await this.#o.rankings.apply(this.#o.domain, message);
        this.#outage.worked();
        this.#o.onRanked(applied, Date.now() - message.storedAt);
        rankerChannels.beforeAcknowledgement.publish(this.#o.domain);
        delivery.ack();
        rankerChannels.afterAcknowledgement.publish(this.#o.domain);
        return;
      } catch (error) {
        // Nothing is lost by waiting: the message stays unacknowledged, and applying it again does nothing.
        if (this.#stopped) return;
        this.#outage.failed(error);
        await delay(retryMs);
        // The message comes again and is tried then. Kept, copies would pile up: one more with each lost connection.
        if (delivery.lost) return;
      }
    }
  }

  #decode(delivery: Delivery): RankingMessage | undefined {
    try {
      return decodeRankingMessage(delivery.body);
    } catch (error) {
      if (!(error instanceof UndecodableRankingMessage)) throw error;
      this.#o.log.error({ messageId: delivery.messageId, reason: error.message }, "no ranking message: dead letter");
      delivery.reject();
      return undefined;
    }
  }
}
