import { silentLog } from "@tally/runtime";
import { openTcpProxy } from "@tally/local";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { openRedis } from "./open-redis.ts";
import type { RedisOptions } from "./redis.ts";

/** A connection that was ready, and its proxy. */
async function opened(options: Partial<RedisOptions> = {}) {
  const proxy = await openTcpProxy(inject("services").redisUrl);
  const lines: string[] = [];
  const keep = (_: object, line: string) => void lines.push(line);
  const log = { ...silentLog, info: keep, warn: keep };
  const redis = openRedis({ url: proxy.url, label: "test", log, ...options });
  onTestFinished(async () => {
    redis.disconnect();
    await proxy.close();
  });
  await vi.waitFor(() => expect(redis.status).toBe("ready"), 10_000);
  return { proxy, redis, lines };
}

test("a command waits while Redis is down, and an outage is two log lines", async () => {
  const { proxy, redis, lines } = await opened();
  proxy.become({ name: "cut" });
  const waiting = redis.ping();
  await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(1), 10_000);
  proxy.become({ name: "open" });
  expect(await waiting).toBe("PONG");
  expect(lines).toEqual([
    "connected to Redis (test)",
    "cannot connect to Redis (test); retrying",
    expect.stringMatching(/^recovered: connect to Redis \(test\) \(down \d+ ms\)$/),
  ]);
});

test("a command of a frozen Redis fails after its timeout, without a queue at once while Redis is down", async () => {
  const { proxy, redis } = await opened({ commandTimeoutMs: 500, queuesWhileDown: false });
  proxy.become({ name: "frozen" });
  await expect(redis.ping()).rejects.toThrow("Command timed out");
  proxy.become({ name: "cut" });
  await vi.waitFor(() => expect(redis.status).not.toBe("ready"), 10_000);
  await expect(redis.ping()).rejects.toThrow("Stream isn't writeable");
});
