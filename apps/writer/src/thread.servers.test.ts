import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { openPublisher } from "@tally/broker/own-broker";
import { feedOf, queuesOf } from "@tally/contract";
import { openTcpProxy } from "@tally/local";
import { readConfig } from "@tally/runtime";
import { expect, inject, onTestFinished, test } from "vitest";
import { writerSettings } from "./config.ts";
import { bodyOf, purchases, purchasesDatabase, rowsOf, sale } from "./purchases.test-kit.ts";

const own = purchasesDatabase();

/** A writer thread that reaches its servers through proxies, and a publisher that does not. */
async function open() {
  const { amqpUrl, redisUrl } = inject("services");
  const namespace = `t${randomBytes(6).toString("hex")}`;
  const proxies = { database: await openTcpProxy(own.writeUrl), broker: await openTcpProxy(amqpUrl) };
  onTestFinished(() => Promise.all(Object.values(proxies).map((proxy) => proxy.close())).then(() => undefined));
  const { ingest, ...others } = queuesOf(namespace, purchases.name);
  // A writer with CHANGE_FEED=on would not start: its exchange for changes exists with another type.
  const unfed = { name: `${namespace}.unfed`, exchange: feedOf(namespace, purchases.name).exchange };
  const queues = [ingest, ...Object.values(others), unfed];
  const { publisher } = openPublisher(amqpUrl, queues);
  const options = readConfig(writerSettings, {
    NAMESPACE: namespace,
    DOMAINS: purchases.name,
    AMQP_URL: proxies.broker.url,
    DATABASE_WRITE_URL: proxies.database.url,
    DATABASE_READ_URL: own.readUrl,
    REDIS_URL: redisUrl,
    LOG_LEVEL: "silent",
  });
  const start = async (): Promise<Worker> => {
    const thread = new Worker(new URL("thread.ts", import.meta.url), { workerData: { index: 0, options }, env: {} });
    onTestFinished(() => thread.terminate().then(() => undefined));
    await once(thread, "message");
    return thread;
  };
  const publish = (body: Buffer) => publisher.publish({ queue: ingest.name, messageId: "m", body });
  return { proxies, start, publish, depth: () => publisher.queueDepth(ingest.name) };
}

test.each([
  ["database", "frozen"],
  ["database", "cut"],
  ["broker", "frozen"],
  ["broker", "cut"],
] as const)("a writer whose %s is %s stops within 3 s, and what it held is delivered again", async (server, name) => {
  const { proxies, start, publish, depth } = await open();
  const thread = await start();
  const storeId = 1 + Math.floor(Math.random() * 1e9);
  proxies[server].become({ name });
  expect(await publish(bodyOf([sale(storeId)]))).toBe("confirmed");
  // A letter, which is being kept.
  expect(await publish(Buffer.from("no batch"))).toBe("confirmed");
  if (server === "database") await expect.poll(depth).toBe(0);
  const stoppedAtMs = performance.now();
  let [lateMs, hasEnded] = [0, false];
  thread.once("exit", () => (hasEnded = true));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  thread.postMessage({ type: "stop" });
  // A busy machine runs the thread as late as these timers.
  for (let atMs = stoppedAtMs; !hasEnded; atMs = performance.now()) {
    await delay(50);
    lateMs += performance.now() - atMs - 50;
  }
  expect(performance.now() - stoppedAtMs - lateMs).toBeLessThan(3000);
  proxies[server].become({ name: "open" });
  await expect.poll(depth).toBe(2);
  await start();
  const { writer } = own.connect();
  await expect.poll(() => rowsOf(writer, storeId)).toHaveLength(1);
});
