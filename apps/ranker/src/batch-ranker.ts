import { backOff, Outage, type Log } from "@tally/runtime";
import type { Delivery } from "@tally/broker";
import { decodeRankingMessage, rankerChannels, UndecodableRankingMessage, type RankingMessage } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { tracedEventsOf, type Tracer } from "@tally/telemetry";

export interface BatchRankerOptions {
  readonly domain: string;
  readonly rankings: Rankings;
  readonly log: Log;
  readonly tracer: Tracer;
  /** Called after each batch: whether it was not ranked before, and the times since its commit and its delivery. */
  readonly onRanked: (isNew: boolean, behindMs: number, rankMs: number) => void;
}

/** Ranks the batches of one domain, several at once: each is ranked atomically and their order does not matter. */
export class BatchRanker {
  readonly #options: BatchRankerOptions;
  readonly #outage: Outage;
  readonly #inHand = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: BatchRankerOptions) {
    this.#options = options;
    this.#outage = new Outage(options.log, `rank ${options.domain}`);
  }

  /** Takes a delivery; acknowledges it when Redis has confirmed that its batch is ranked. */
  take(delivery: Delivery): void {
    const work = this.#rank(delivery).finally(() => this.#inHand.delete(work));
    this.#inHand.add(work);
  }

  /** Resolves when every delivery that was taken is settled. None may be taken meanwhile. */
  async drain(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand);
  }

  /** Ends all retries; the broker delivers what is not acknowledged to another ranker. */
  stop(): void {
    this.#stopped = true;
  }

  async #rank(delivery: Delivery): Promise<void> {
    const deliveredAtMs = performance.now();
    const message = this.#decode(delivery);
    for (let failures = 1; message !== undefined && !this.#stopped; failures++) {
      try {
        rankerChannels.beforeCommit.publish(this.#options.domain);
        const isNew = await this.#options.rankings.rank(this.#options.domain, message);
        this.#outage.worked();
        this.#options.onRanked(isNew, Date.now() - message.storedAt, performance.now() - deliveredAtMs);
        rankerChannels.beforeAcknowledgement.publish(this.#options.domain);
        delivery.ack();
        this.#trace(delivery, deliveredAtMs, isNew);
        rankerChannels.afterAcknowledgement.publish(this.#options.domain);
        return;
      } catch (error) {
        // The message stays unacknowledged, and a batch that comes twice is ranked once.
        if (this.#stopped) return;
        this.#outage.failed(error);
        await backOff(failures, error);
        // The broker delivers it again. Without this, each lost connection would add a copy.
        if (delivery.lost) return;
      }
    }
  }

  // Nearly every message has no traced events.
  #trace({ headers, messageId }: Delivery, deliveredAtMs: number, isNew: boolean): void {
    const { tracer, domain } = this.#options;
    for (const { eventId, context } of tracedEventsOf(headers)) {
      const outcome = isNew ? "ranked" : "known";
      tracer.begin("ranked", context, deliveredAtMs).end({ eventId, domain, batch: messageId, outcome });
    }
  }

  #decode(delivery: Delivery): RankingMessage | undefined {
    try {
      return decodeRankingMessage(delivery.body);
    } catch (error) {
      if (!(error instanceof UndecodableRankingMessage)) throw error;
      const { messageId } = delivery;
      this.#options.log.error({ messageId, reason: error.message }, "no ranking message: dead letter");
      delivery.reject();
      return undefined;
    }
  }
}
