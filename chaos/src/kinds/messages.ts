import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { connectConsumer, type Delivery } from "@tally/messaging";
import { batchDecoder, encodeBatch, encodeEvent, newEventId, queuesOf } from "@tally/pipeline";
import type { Stand } from "../stand.ts";
import type { FaultKind } from "./fault-kind.ts";

/* What no gateway of ours sends, and what brokers do. */

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const caughtWithinMs = 10_000;

/** Takes some deliveries out of a queue, before tally gets them, and acknowledges each when `use` has resolved. */
async function catchDeliveries(
  stand: Stand,
  queue: "ingest" | "rank",
  count: number,
  use: (delivery: Delivery) => Promise<void>,
): Promise<void> {
  const queues = queuesOf(stand.namespace, stand.domain.name);
  const used: Promise<void>[] = [];
  const enough = Promise.withResolvers<void>();
  const consumer = connectConsumer({
    url: stand.environment["AMQP_URL"] ?? "",
    connectionName: "tally drill catcher",
    queues: Object.values(queues),
    queue: queues[queue].name,
    prefetch: count,
    onDelivery(delivery) {
      // One that was delivered before may have been stored before: it must come as it is.
      if (used.length >= count || delivery.redelivered) {
        delivery.giveBack();
        return;
      }
      used.push(use(delivery).then(() => delivery.ack()));
      if (used.length === count) enough.resolve();
    },
    log: silent,
  });
  try {
    await Promise.race([enough.promise, delay(caughtWithinMs, undefined, { ref: false })]);
    await consumer.cancel();
    await Promise.all(used);
    if (used.length < count)
      throw new Error(`only ${used.length} of ${count} messages came through the ${queue} queue`);
  } finally {
    await consumer.close();
  }
}

async function publish(stand: Stand, queue: "ingest" | "rank", messageId: string, body: Buffer): Promise<void> {
  const { name } = queuesOf(stand.namespace, stand.domain.name)[queue];
  const outcome = await stand.publisher.publish({ queue: name, messageId, body });
  if (outcome !== "confirmed") throw new Error(`the drill's own message was ${outcome}`);
}

const duplicates = (queue: "ingest" | "rank"): FaultKind => ({
  name: `duplicate-${queue}-deliveries`,
  plan: (random) => ({ target: `${queue} queue`, ms: 0, count: random.integer(1, 5) }),
  async inject(stand, { count }) {
    await catchDeliveries(stand, queue, count, async ({ messageId, body }) => {
      for (let copy = 0; copy < 3; copy++) await publish(stand, queue, messageId, body);
    });
    return { backAt: performance.now() };
  },
});

const poison: FaultKind = {
  name: "poison-event",
  plan: (random) => ({ target: "a batch", ms: 0, count: random.integer(1, 2) }),
  async inject(stand, { count }) {
    const decode = batchDecoder(stand.domain.event);
    await catchDeliveries(stand, "ingest", count, async ({ messageId, body }) => {
      const { id, createdAt, events } = decode(body);
      const poisoned = [...events, stand.domain.workload.poison(newEventId())].map(encodeEvent);
      await publish(stand, "ingest", messageId, encodeBatch(id, createdAt, poisoned));
    });
    return { backAt: performance.now(), letters: { events: count, messages: 0 } };
  },
};

const undecodable: FaultKind = {
  name: "undecodable-message",
  plan: (random) => ({ target: "ingest queue", ms: 0, count: random.integer(1, 3) }),
  async inject(stand, { count }) {
    for (let index = 0; index < count; index++) {
      await publish(stand, "ingest", `drill-${randomBytes(8).toString("hex")}`, randomBytes(200));
    }
    return { backAt: performance.now(), letters: { events: 0, messages: count } };
  },
};

export const messageKinds: readonly FaultKind[] = [duplicates("ingest"), duplicates("rank"), poison, undecodable];
