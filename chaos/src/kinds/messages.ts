import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { workloadOf } from "@tally/domains/workloads";
import { silentLog } from "@tally/failures";
import { connectConsumer, type Delivery } from "@tally/messaging";
import { batchDecoder, encodeBatch, encodeEvent, newEventId, queuesOf, type Domain } from "@tally/pipeline";
import type { Random } from "../random.ts";
import type { Stand } from "../stand.ts";
import type { FaultKind } from "./fault-kind.ts";

/* What no gateway of ours sends, and what brokers do. The target is a domain. */

const caughtWithinMs = 10_000;

/** Takes some deliveries out of a queue, before tally gets them, and acknowledges each when `use` has resolved. */
async function catchDeliveries(
  stand: Stand,
  domain: string,
  queue: "ingest" | "rank",
  count: number,
  use: (delivery: Delivery) => Promise<void>,
): Promise<void> {
  const queues = queuesOf(stand.namespace, domain);
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
    log: silentLog,
  });
  try {
    await Promise.race([enough.promise, delay(caughtWithinMs, undefined, { ref: false })]);
    await consumer.cancel();
    await Promise.all(used);
    if (used.length < count)
      throw new Error(`only ${used.length} of ${count} messages of ${domain} came through the ${queue} queue`);
  } finally {
    await consumer.close();
  }
}

async function publish(
  stand: Stand,
  domain: string,
  queue: "ingest" | "rank",
  { messageId, body }: Pick<Delivery, "messageId" | "body">,
): Promise<void> {
  const { name } = queuesOf(stand.namespace, domain)[queue];
  const outcome = await stand.publisher.publish({ queue: name, messageId, body });
  if (outcome !== "confirmed") throw new Error(`the drill's own message was ${outcome}`);
}

const duplicates = (queue: "ingest" | "rank"): FaultKind => ({
  name: `duplicate-${queue}-deliveries`,
  plan: (random, domains) => ({ target: oneOf(domains, random), ms: 0, count: random.integer(1, 5) }),
  async inject(stand, { target, count }) {
    await catchDeliveries(stand, target, queue, count, async (delivery) => {
      for (let copy = 0; copy < 3; copy++) await publish(stand, target, queue, delivery);
    });
    return { backAt: performance.now() };
  },
});

const poison: FaultKind = {
  name: "poison-event",
  plan: (random, domains) => ({ target: oneOf(domains, random), ms: 0, count: random.integer(1, 2) }),
  async inject(stand, { target, count }) {
    const { event } = domainNamed(stand, target);
    const decode = batchDecoder(event);
    await catchDeliveries(stand, target, "ingest", count, async ({ messageId, body }) => {
      const { id, createdAt, events } = decode(body);
      const poisoned = [...events, workloadOf(target).poison(newEventId())].map(encodeEvent);
      await publish(stand, target, "ingest", { messageId, body: encodeBatch(id, createdAt, poisoned) });
    });
    return { backAt: performance.now(), letters: { events: count, messages: 0 } };
  },
};

const undecodable: FaultKind = {
  name: "undecodable-message",
  plan: (random, domains) => ({ target: oneOf(domains, random), ms: 0, count: random.integer(1, 3) }),
  async inject(stand, { target, count }) {
    for (let index = 0; index < count; index++) {
      const messageId = `drill-${randomBytes(8).toString("hex")}`;
      await publish(stand, target, "ingest", { messageId, body: randomBytes(200) });
    }
    return { backAt: performance.now(), letters: { events: 0, messages: count } };
  },
};

function oneOf(domains: readonly string[], random: Random): string {
  return domains[random.integer(0, domains.length - 1)] ?? "";
}

function domainNamed({ domains }: Stand, name: string): Domain {
  const domain = domains.find((one) => one.name === name);
  if (domain === undefined) throw new TypeError(`there is no domain ${name}`);
  return domain;
}

export const messageKinds: readonly FaultKind[] = [duplicates("ingest"), duplicates("rank"), poison, undecodable];
