import { backOff, Outage, type Log } from "@tally/runtime";
import type { Delivery } from "@tally/broker";
import { rankerChannels, readRankingMessage } from "@tally/contract";
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
export function batchRanker({ domain, rankings, log, tracer, onRanked }: BatchRankerOptions) {
  const outage = new Outage(log, `rank ${domain}`);
  const inHand = new Set<Promise<void>>();
  let isStopped = false;

  async function rank(delivery: Delivery): Promise<void> {
    const deliveredAtMs = performance.now();
    const { messageId, headers, body } = delivery;
    const message = readRankingMessage(body);
    if (message instanceof Error) {
      log.error({ messageId, reason: message.message }, "no ranking message: dead letter");
      return delivery.reject();
    }
    for (let failures = 1; !isStopped; failures++) {
      try {
        rankerChannels.beforeCommit.publish(domain);
        const isNew = await rankings.rank(domain, message);
        outage.worked();
        onRanked(isNew, Math.max(0, Date.now() - message.storedAt), performance.now() - deliveredAtMs);
        rankerChannels.beforeAcknowledgement.publish(domain);
        delivery.ack();
        // Nearly every message has no traced events.
        for (const { eventId, context } of tracedEventsOf(headers)) {
          const outcome = isNew ? "ranked" : "known";
          tracer.begin("ranked", context, deliveredAtMs).end({ eventId, domain, batch: messageId, outcome });
        }
        rankerChannels.afterAcknowledgement.publish(domain);
        return;
      } catch (error) {
        // The message stays unacknowledged, and a batch that comes twice is ranked once.
        if (isStopped) return;
        outage.failed(error);
        await backOff(failures, error);
        // The broker delivers it again. Without this, each lost connection would add a copy.
        if (delivery.lost) return;
      }
    }
  }

  return {
    /** Takes a delivery; acknowledges it when Redis has confirmed that its batch is ranked. */
    take(delivery: Delivery): void {
      const work = rank(delivery).finally(() => inHand.delete(work));
      inHand.add(work);
    },

    /** Resolves when every delivery that was taken is settled. None may be taken meanwhile. */
    async drain(): Promise<void> {
      while (inHand.size > 0) await Promise.all(inHand);
    },

    /** Ends all retries; the broker delivers what is not acknowledged to another ranker. */
    stop(): void {
      isStopped = true;
    },
  };
}
