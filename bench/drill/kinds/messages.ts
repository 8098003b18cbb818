import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { silentLog } from "@tally/runtime";
import { type Random, workloadOf } from "../../kit/index.ts";
import { connectConsumer, type Delivery } from "@tally/broker";
import { batchDecoder, decodeRankingMessage, encodeBatch, encodeEvent, encodeRankingMessage } from "@tally/contract";
import { newEventId, queuesOf } from "@tally/contract";
import type { Domain } from "@tally/contract";
import type { System } from "../system.ts";
import type { FaultKind } from "./fault-kind.ts";

/* Messages that no gateway sends, and deliveries that a broker may repeat. The target is a domain, or all. */

// With its connection: a drill on a busy machine opens ten at once.
const caughtWithinMs = 60_000;
// Several times what a writer or ranker that was killed held.
const redeliveredMax = 100;
type Queue = "ingest" | "rank";
const drillId = (): string => `drill-${randomBytes(8).toString("hex")}`;

/** Takes `count` deliveries from a queue before tally gets them. Acknowledges each when `use` has resolved. */
export async function catchDeliveries(
  system: Pick<System, "namespace" | "environment">,
  domain: string,
  queue: Queue,
  count: number,
  use: (delivery: Delivery) => Promise<void>,
): Promise<void> {
  const queues = queuesOf(system.namespace, domain);
  const used: Promise<void>[] = [];
  const enough = Promise.withResolvers<void>();
  const consumer = connectConsumer({
    url: system.environment["AMQP_URL"] ?? "",
    connectionName: "tally drill catcher",
    queues: Object.values(queues),
    queue: queues[queue].name,
    prefetch: count + redeliveredMax,
    onDelivery(delivery) {
      // It returns to the queue at the end. A redelivered message may be stored already and must stay as it is.
      if (used.length >= count || delivery.redelivered) return;
      const acknowledged = use(delivery).then(() => delivery.ack());
      // Until it is awaited below, an unhandled rejection would end the drill.
      acknowledged.catch(enough.reject);
      used.push(acknowledged);
      if (used.length === count) enough.resolve();
    },
    log: silentLog,
  });
  try {
    await Promise.race([enough.promise, delay(caughtWithinMs, undefined, { ref: false })]);
    await consumer.cancel();
    await Promise.all(used);
    if (used.length < count)
      throw new Error(`the ${queue} queue of ${domain} delivered ${used.length} of ${count} messages in time`);
  } finally {
    await consumer.close();
  }
}

async function publish(
  system: System,
  domain: string,
  queue: Queue | "dead",
  { messageId, body }: Pick<Delivery, "messageId" | "body">,
): Promise<void> {
  const { name } = queuesOf(system.namespace, domain)[queue];
  const outcome = await system.publisher.publish({ queue: name, messageId, body });
  if (outcome !== "confirmed") throw new Error(`publishing a message of the drill to ${name}: ${outcome}`);
}

const planUpTo = (countMax: number) => (random: Random, domains: readonly string[]) => ({
  target: domains[random.integer(0, domains.length - 1)] ?? "",
  ms: 0,
  count: random.integer(1, countMax),
});

const duplicates = (queue: Queue): FaultKind => ({
  name: `duplicate-${queue}-deliveries`,
  plan: planUpTo(5),
  async inject(system, { target, count }) {
    await catchDeliveries(system, target, queue, count, async (delivery) => {
      for (let copy = 0; copy < 3; copy++) await publish(system, target, queue, delivery);
    });
    return { backAt: performance.now() };
  },
});

const poison: FaultKind = {
  name: "poison-event",
  plan: planUpTo(2),
  async inject(system, { target, count }) {
    const domain = system.domains.find(({ name }) => name === target);
    if (domain === undefined) throw new TypeError(`there is no domain ${target}`);
    const decode = batchDecoder(domain.event, domain.eventVersion);
    await catchDeliveries(system, target, "ingest", count, async ({ messageId, body }) => {
      const { id, createdAt, events } = decode(body);
      const poisoned = [...events, { ...workloadOf(target).poison, id: newEventId() }].map(encodeEvent);
      const batch = encodeBatch(id, createdAt, poisoned, domain.eventVersion);
      await publish(system, target, "ingest", { messageId, body: batch });
    });
    return { backAt: performance.now(), letters: { events: count, messages: 0 } };
  },
};

// A shard's moves in their form, except that a count is a text: [["board", ["member", "1"]], []].
const wrongMoves = Buffer.from("9292a5626f61726492a66d656d626572a13190", "hex");

/** The envelope of a real message of a queue, around what the domain does not have. */
function wrongContent({ eventVersion }: Domain, queue: Queue, body: Buffer): Buffer {
  const batch = { producer: randomBytes(8).toString("hex"), sequence: 0 };
  if (queue === "ingest") return encodeBatch(batch, Date.now(), [encodeEvent({ id: newEventId() })], eventVersion);
  const shards = decodeRankingMessage(body).shards.map(() => wrongMoves);
  return encodeRankingMessage({ batch, storedAt: Date.now(), shards });
}

const garbage: FaultKind = {
  name: "garbage-in-every-queue",
  plan: () => ({ target: "all domains", ms: 0, count: 0 }),
  async inject(system) {
    const inject = (domain: Domain, queue: Queue): Promise<void> =>
      catchDeliveries(system, domain.name, queue, 1, async (delivery) => {
        const half = delivery.body.subarray(0, delivery.body.length / 2);
        for (const body of [randomBytes(200), half, wrongContent(domain, queue, delivery.body)])
          await publish(system, domain.name, queue, { messageId: drillId(), body });
        await publish(system, domain.name, queue, delivery);
      });
    const injectDead = ({ name }: Domain) =>
      publish(system, name, "dead", { messageId: drillId(), body: randomBytes(200) });
    await Promise.all(system.domains.flatMap((one) => [inject(one, "ingest"), inject(one, "rank"), injectDead(one)]));
    return { backAt: performance.now(), letters: { events: 0, messages: (2 * 3 + 1) * system.domains.length } };
  },
};

export const messageKinds: readonly FaultKind[] = [duplicates("ingest"), duplicates("rank"), poison, garbage];
