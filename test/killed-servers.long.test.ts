import { setTimeout as delay } from "node:timers/promises";
import { freePorts } from "@tally/local";
import { expect, test, vi } from "vitest";
import { openShop } from "./kit/shop.ts";
import { RawConnection } from "./http/raw-connection.ts";
import { startGateway } from "./kit/programs.ts";

/*
 * Servers that are killed, frozen, reject work or change their role. Each test ends with every acknowledged sale stored
 * and ranked once.
 */

const shop = await openShop();

test("while the database is down sales are acknowledged; a writer holds no more than its prefetch", async () => {
  shop.server("database-primary").kill("SIGKILL");
  await shop.sell(50);
  const columns = ["name", "messages_unacknowledged", "messages_ready"];
  const queues = () => shop.services.operator.rabbitmqctl("list_queues", "--quiet", ...columns);
  await vi.waitFor(async () => expect(await queues()).toMatch(/\.ingest\.purchases\t4\t46$/m), {
    timeout: 30_000,
    interval: 500,
  });
  await shop.server("database-primary").start();
  await shop.sell(10);
  await shop.expectEqual();
}, 120_000);

test("while the broker is down requests get 503 with Retry-After; only what was acknowledged is stored", async () => {
  shop.server("rabbitmq").kill("SIGKILL");
  shop.expectRefused(await shop.post());
  expect((await fetch(`${shop.url}/health/live`)).status).toBe(200);
  expect((await fetch(`${shop.operatorUrls[0]}/health/ready`)).status).toBe(503);
  await shop.server("rabbitmq").start();
  await shop.ready();
  // The refused sale is not there.
  await shop.expectEqual();
  await shop.sell(40);
  await shop.expectEqual();
}, 120_000);

test("an outage is one log line, however many attempts to connect there are", async () => {
  const count = async () => ({
    lost: await shop.linesOf("gateway", "lost the connection to the broker"),
    gateway: await shop.linesOf("gateway", "{"),
    redis: await shop.linesOf("ranker", "cannot connect to Redis (rankings)"),
  });
  const before = await count();
  for (const name of ["rabbitmq", "redis"]) shop.server(name).kill("SIGKILL");
  await delay(5000);
  await Promise.all(["rabbitmq", "redis"].map((name) => shop.server(name).start()));
  await shop.ready();
  const after = await count();
  expect(after.lost - before.lost).toBe(1);
  expect(after.redis - before.redis).toBe(1);
  // Lost, not reached (with a socket error), connected, for the broker and for Redis; there were some twenty attempts.
  expect(after.gateway - before.gateway).toBeLessThanOrEqual(10);
  await shop.sell(9);
  await shop.expectEqual();
}, 120_000);

test("a frozen broker: some requests wait, the others get 503 at once, and nothing is stored twice", async () => {
  const refused = async () => {
    const counts = (await shop.metrics()).matchAll(
      /^tally_gateway_errors_total\{status="503",code="[A-Z_]+"\} (\d+)$/gm,
    );
    return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
  };
  const before = await refused();
  shop.server("rabbitmq").kill("SIGSTOP");
  const sentAt = performance.now();
  const waited = Array.from({ length: 60 }, async () => {
    shop.expectRefused(await shop.post());
    return performance.now() - sentAt;
  });
  await delay(700);
  expect(await shop.metrics()).toMatch(/^tally_gateway_waiting_events\{domain="purchases"\} 40$/m);
  const waitedMs = await Promise.all(waited);
  expect((await refused()) - before).toBeGreaterThanOrEqual(60);
  shop.server("rabbitmq").kill("SIGCONT");
  expect(waitedMs.filter((ms) => ms < 1000)).toHaveLength(20);
  // The limit counts from the arrival of each request, not from the end of the one before.
  expect(Math.max(...waitedMs)).toBeLessThan(4000);
  await shop.ready();
  await shop.sell(0);
  await shop.expectEqual();
}, 120_000);

test("a broker under an alarm of its memory: 503 at once, and intake continues when it ends", async () => {
  const watermark = (share: string) => shop.services.operator.rabbitmqctl("set_vm_memory_high_watermark", share);
  await watermark("0");
  try {
    await vi.waitFor(async () => expect((await shop.post()).status).toBe(503), 20_000);
    const sentAt = performance.now();
    const responses = await Promise.all(Array.from({ length: 20 }, () => shop.post()));
    expect(performance.now() - sentAt).toBeLessThan(1000); // a confirm takes up to 1.5 s
    for (const response of responses) shop.expectRefused(response);
  } finally {
    await watermark("0.4");
  }
  await shop.ready();
  await shop.sell(0);
  await shop.expectEqual();
}, 120_000);

test("a frozen read endpoint: readers get 503 with Retry-After, some at once because too many wait", async () => {
  // At most 64 requests of one connection are in flight.
  const connections = Array.from({ length: 40 }, () => new RawConnection(shop.url));
  const pathOf = (user: number) => `/steps/single/${user}/1`;
  const each = 55;
  shop.server("database-replica").kill("SIGSTOP");
  try {
    // More than fit into the statements that are in flight while a request waits for its turn.
    const all = connections.map((one, index) =>
      one.getAll(Array.from({ length: each }, (_, user) => pathOf(index * each + user))),
    );
    const responses = (await Promise.all(all)).flat();
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
    expect(responses.every(({ headers }) => headers.has("retry-after"))).toBe(true);
    expect(responses.filter(({ body }) => body.includes("too many reads are waiting"))).not.toEqual([]);
  } finally {
    shop.server("database-replica").kill("SIGCONT");
  }
  await vi.waitFor(async () => expect((await connections[0]?.get(pathOf(1)))?.body).toBe("0"), 20_000);
  for (const one of connections) one.destroy();
}, 120_000);

test("a gateway that stops responds to what it holds when its confirms come, and accepts nothing more", async () => {
  const [health = 0] = await freePorts(1);
  const gateway = await startGateway(shop, {
    AUTH: "off",
    GATEWAY_HEALTH_PORT: String(health),
    // On a busy machine the test needs more than the shop's 1.5 s.
    CONFIRM_WITHIN_MS: "60000",
    // Most batches wait at the gateway, and are not in flight.
    BATCH_EVENTS_MAX: "1",
  });
  const operatorUrl = `http://127.0.0.1:${health}`;
  await vi.waitFor(async () => expect((await fetch(`${operatorUrl}/health/ready`)).status).toBe(200), 30_000);
  const metrics = async (): Promise<string> => (await fetch(`${operatorUrl}/metrics`)).text();
  shop.server("rabbitmq").kill("SIGSTOP");
  const responses = Array.from({ length: 20 }, () => shop.postTo(gateway.url));
  await vi.waitFor(async () => expect(await metrics()).toMatch(/^tally_gateway_waiting_events\{.*\} 20$/m), 10_000);
  const stopped = gateway.stop();
  await vi.waitFor(() => expect(fetch(`${gateway.url}/health/live`)).rejects.toThrow("fetch failed"), 10_000);
  shop.server("rabbitmq").kill("SIGCONT");
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 201));
  expect(await stopped).toBe(0);
  await shop.expectEqual();
}, 120_000);

const heldBy = async (queue: "ingest" | "rank"): Promise<number> => {
  const listed = await shop.services.operator.rabbitmqctl("list_queues", "--quiet", "name", "messages_unacknowledged");
  return Number(new RegExp(`\\.${queue}\\.purchases\\t(\\d+)$`, "m").exec(listed)?.[1]);
};
const expectHeld = (queue: "ingest" | "rank", count: number) =>
  vi.waitFor(async () => expect(await heldBy(queue)).toBe(count), 20_000);
/** All messages that the ranker has received, new to the rankings or not. */
const receivedByRanker = async (): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${shop.ranker.port}/metrics`)).text();
  const counts = [...metrics.matchAll(/^tally_ranker_batches_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

test.each([
  // Those of the waiting transaction: the ledger has them when they are delivered again.
  ["ingest", 4, 4, "SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0"],
  ["rank", 0, 8, "REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"],
] as const)(
  "redeliveries of the %s queue are not processed twice while its consumer waits: of 20, at most %i are",
  async (queue, twiceMax, prefetch, leave, come) => {
    const { operator } = shop.services;
    const order = (command: string) => (queue === "rank" ? operator.redis(command) : operator.sql(command));
    await expectHeld("rank", 0);
    const before = await receivedByRanker();
    await order(leave);
    try {
      await shop.sell(20);
      for (let broken = 0; broken < 5; broken++) {
        await expectHeld(queue, prefetch);
        await operator.rabbitmqctl("close_all_connections", "test");
      }
      await expectHeld(queue, prefetch);
    } finally {
      await order(come);
    }
    await shop.expectEqual();
    // A database that is read-only, as in a failover, rejects no event.
    expect(await shop.linesOf("writer", '"msg":"dead letter"')).toBe(0);
    await expectHeld("rank", 0);
    const received = (await receivedByRanker()) - before;
    expect(received).toBeGreaterThanOrEqual(20);
    expect(received).toBeLessThanOrEqual(20 + twiceMax);
  },
  120_000,
);
