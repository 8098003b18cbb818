import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { ownBroker } from "@tally/broker/own-broker";
import { queuesOf } from "@tally/contract";
import { addDomains, ledgerMigrations, retentionMigrations } from "@tally/database";
import { ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { openTcpProxy } from "@tally/local";
import { ownRankings } from "@tally/redis/own-rankings";
import { readConfig } from "@tally/runtime";
import { expect, inject, onTestFinished, test } from "vitest";
import { rankerSettings } from "./config.ts";

const { name, migrations } =
  domains.find((domain) => domain.name === "purchases") ?? expect.fail("no domain purchases");
const own = ownDatabase([ledgerMigrations, "ledger"], [retentionMigrations, "retention"], [migrations, name]);
const { namespace } = ownRankings(1);

test.each(["database", "broker"] as const)("a ranker whose %s is frozen stops within 20 s", async (server) => {
  const broker = await ownBroker();
  onTestFinished(async () => {
    for (const queue of Object.values(queuesOf(namespace, name))) {
      await broker.channel.deleteQueue(queue.name);
      if (queue.exchange !== undefined) await broker.channel.deleteExchange(queue.exchange);
    }
  });
  await own.connect().transaction((transaction) => addDomains(transaction, [name]));
  const proxies = { database: await openTcpProxy(own.writeUrl), broker: await broker.proxy() };
  onTestFinished(() => proxies.database.close());
  const options = readConfig(rankerSettings, {
    NAMESPACE: namespace,
    DOMAINS: name,
    AMQP_URL: proxies.broker.url,
    DATABASE_WRITE_URL: proxies.database.url,
    DATABASE_READ_URL: own.readUrl,
    REDIS_URL: inject("services").redisUrl,
    LOG_LEVEL: "silent",
  });
  const thread = new Worker(new URL("thread.ts", import.meta.url), { workerData: { index: 0, options }, env: {} });
  onTestFinished(() => thread.terminate().then(() => undefined));
  await once(thread, "message");
  proxies[server].become({ name: "frozen" });
  // Rounds of the auditor begin each second: the last one before the freeze, or the first one after it, waits now.
  await delay(3000);
  const stoppedAtMs = performance.now();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  thread.postMessage({ type: "stop" });
  await once(thread, "exit");
  expect(performance.now() - stoppedAtMs).toBeLessThan(20_000);
});
