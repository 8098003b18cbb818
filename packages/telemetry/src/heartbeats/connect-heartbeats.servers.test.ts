import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { createMetrics, silentLog } from "@tally/runtime";
import { openTcpProxy } from "@tally/local";
import { openRedis } from "@tally/redis";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { clockOffset } from "./clock-offset.ts";
import { connectHeartbeats, type HeartbeatOptions } from "./connect-heartbeats.ts";

const { redisUrl } = inject("services");
const database = ownDatabase();
const report = () => ({ threads: [], reports: [] });

function opened() {
  const namespace = `heartbeats-test-${randomBytes(6).toString("hex")}`;
  const key = `${namespace}:{status}:processes`;
  const redis = openRedis({ url: redisUrl, label: "test", log: silentLog });
  onTestFinished(async () => {
    await redis.del(key);
    redis.disconnect();
  });
  const connect = (options: Partial<HeartbeatOptions> = {}) => {
    const heartbeats = connectHeartbeats({ url: redisUrl, namespace, log: silentLog, ...options });
    onTestFinished(() => heartbeats.stop());
    return heartbeats;
  };
  return { key, redis, connect };
}

test("a process is seen by others while it runs, its heartbeats go on, and a stop removes it", async () => {
  const { key, redis, connect } = opened();
  const [own, other] = [connect(), connect()];
  own.start("writer", report);
  const times = new Set<number>();
  await vi.waitFor(async () => {
    const [beat, ...more] = (await other.read()) ?? [];
    expect(more).toEqual([]);
    expect(beat).toMatchObject({ app: "writer", pid: process.pid });
    times.add(beat?.at ?? 0);
    expect(times.size).toBeGreaterThan(2);
  }, 15_000);
  // Nothing stays when all processes are gone.
  const expires = await redis.pttl(key);
  expect(expires).toBeGreaterThan(50_000);
  await own.stop();
  await expect.poll(() => other.read()).toEqual([]);
});

const empty = { threads: [], flows: [], held: [], hops: [], problems: [] };
const beat = { v: 1, app: "ranker", host: "h", pid: 7, startedAt: 0, ...empty };

test("a process that died is seen for a minute; what is older or has no time is removed, other forms stay", async () => {
  const { key, redis, connect } = opened();
  await redis.hset(key, {
    dead: JSON.stringify({ ...beat, at: Date.now() - 50_000 }),
    old: JSON.stringify({ ...beat, at: Date.now() - 70_000 }),
    oldOfLaterRelease: JSON.stringify({ v: 2, at: Date.now() - 70_000 }),
    later: JSON.stringify({ ...beat, v: 2, at: Date.now() }),
    broken: "{",
    timeless: "[]",
  });
  const own = connect();
  await vi.waitFor(async () => expect(await own.read()).toMatchObject([{ app: "ranker", pid: 7 }]), 10_000);
  own.start("writer", report);
  await vi.waitFor(async () => expect(await redis.hkeys(key)).toHaveLength(7), 10_000);
  connect({ removesDead: true }).start("gateway", report);
  await vi.waitFor(async () => {
    const apps = (await redis.hkeys(key)).map((name) => name.split(" ", 1).join(""));
    expect(apps.toSorted()).toEqual(["dead", "gateway", "later", "writer"]);
  }, 10_000);
});

test.each([-3_600_000, 3_600_000])(
  "a process whose clock is %i ms ahead of the servers reports that, and sees right ages",
  async (skewMs) => {
    const { connect } = opened();
    // It goes on, unlike that of fake timers.
    const now = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => now() + skewMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const process = connect();
    process.start("writer", report, clockOffset(database.connect().writer, silentLog, createMetrics()));
    await vi.waitFor(async () => {
      const [found] = (await process.read()) ?? [];
      expect(Math.abs((found?.at ?? 0) - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
      expect(Math.abs(found?.ageMs ?? Infinity)).toBeLessThan(10_000);
      expect(Math.abs((found?.clockOffsetMs ?? 0) - skewMs)).toBeLessThan(1000);
      // After a look at the clock that was slow, the next one is 10 s later.
    }, 60_000);
  },
);

test("while Redis is down or frozen a read says so, and heartbeats go on when it is back", async () => {
  const { connect } = opened();
  const proxy = await openTcpProxy(redisUrl);
  onTestFinished(() => proxy.close());
  const own = connect({ url: proxy.url });
  own.start("gateway", report);
  const seen = (count: number) => vi.waitFor(async () => expect(await own.read()).toHaveLength(count), 15_000);
  await seen(1);
  for (const name of ["cut", "frozen"] as const) {
    proxy.become({ name });
    await vi.waitFor(async () => expect(await own.read()).toBeUndefined(), 10_000);
    proxy.become({ name: "cut" });
    proxy.become({ name: "open" });
    await seen(1);
  }
});
