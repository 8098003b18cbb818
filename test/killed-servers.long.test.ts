import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { openShop } from "./kit/shop.ts";

/* SIGKILL of one server after the other. Each test ends with every acknowledged sale stored and ranked once. */

const shop = await openShop();

test("while the database is down sales are acknowledged, and stored afterwards; a writer holds no more than its prefetch", async () => {
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

test("while the broker is down requests get 503 with Retry-After; what was acknowledged is stored once, the rest not at all", async () => {
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
