import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Outage, recentProblems, silentLog } from "@tally/runtime";
import type { FleetAppConfig, FleetReporter, Log, Logger } from "@tally/runtime";
import { fieldIn, parsedJson } from "@tally/contract";
import { connectDatabase } from "@tally/database";
import { isCluster, masterOfKey, mastersOf, openRedis, type Redis } from "@tally/redis";
import { Compile } from "typebox/compile";
import { clockOffset, type ClockOffset } from "./clock-offset.ts";
import { Heartbeat, heartbeatOf, type ThreadState, type WorkReport } from "./heartbeat.ts";

/*
 * The hash <namespace>:{status}:processes has a field for each process: its last heartbeat as JSON, written once a
 * second, with the time of Redis, because the clocks of machines differ. A process that stops deletes its field. One
 * that dies leaves it, and after a minute another process deletes it. The hash expires with its last process.
 */

const beatEveryMs = 1000;
// Readers see a dead process for as long.
const forgottenMs = 60_000;
const removeEveryMs = 60_000;
const commandTimeoutMs = 700;
const compareClocksEveryMs = 10_000;
// Shorter than the time that a reader gives a whole answer.
const masterWithinMs = 500;

const check = Compile(Heartbeat);

export interface HeartbeatOptions {
  readonly url: string;
  readonly namespace: string;
  /** Removes the heartbeats of dead processes once a minute. Its account in Redis must be able to read them. */
  readonly removesDead?: boolean;
  readonly log: Log;
}

export interface FoundHeartbeat extends Heartbeat {
  /** By the clock of Redis, in ms. */
  readonly ageMs: number;
}

export type Heartbeats = ReturnType<typeof connectHeartbeats>;

export interface RedisMaster {
  /** host:port */
  readonly node: string;
  readonly latencyMs: number | undefined;
}

interface ProcessReport {
  readonly threads: readonly ThreadState[];
  readonly reports: readonly { readonly thread: number | null; readonly report: WorkReport }[];
}

type Report = () => Promise<ProcessReport> | ProcessReport;

/** Sends the heartbeats of this process and reads those of all. No call throws because Redis is down. */
export function connectHeartbeats({ url, namespace, removesDead = false, log }: HeartbeatOptions) {
  const redis = openRedis({ url, label: "heartbeats", commandTimeoutMs, queuesWhileDown: false, log });
  const key = `${namespace}:{status}:processes`;
  const outage = new Outage(log, "send the heartbeat of this process to Redis");
  const startedAt = Date.now();
  let field: string | undefined;
  let timers: readonly NodeJS.Timeout[] = [];
  let removeAtMs = 0;
  let sending: Promise<void> | undefined;

  async function send(app: Heartbeat["app"], report: Report, clock?: ClockOffset): Promise<void> {
    if (redis.status !== "ready") return;
    try {
      const { threads, reports } = await report();
      const own = { app, host: hostname(), pid: process.pid, startedAt, clockOffsetMs: clock?.ms ?? null };
      field = `${app} ${own.host} ${own.pid} ${startedAt}`;
      const at = await timeOf(redis, key);
      const heartbeat = JSON.stringify(heartbeatOf({ ...own, at }, threads, reports));
      await Promise.all([redis.hset(key, field, heartbeat), redis.pexpire(key, forgottenMs)]);
      if (removesDead && performance.now() >= removeAtMs) {
        await removeForgotten(redis, key, at);
        removeAtMs = performance.now() + removeEveryMs;
      }
      outage.worked();
    } catch (error) {
      outage.failed(error);
    }
  }

  return {
    /** Sends a heartbeat every second, until `stop`: one read of the time, one write. Nothing while Redis is down.
     * Measures `clock` every 10 s. */
    start(app: Heartbeat["app"], report: Report, clock?: ClockOffset): void {
      // Never twice at once: a slow Redis gets no second heartbeat before the first has ended.
      const beat = (): void => {
        sending ??= send(app, report, clock).finally(() => (sending = undefined));
      };
      redis.on("ready", beat);
      const measure = (): void => void clock?.measure();
      measure();
      timers = [setInterval(beat, beatEveryMs), setInterval(measure, compareClocksEveryMs)];
    },

    /** The last heartbeat of each process, at most a minute old; undefined: Redis does not respond within 0.7 s. */
    async read(): Promise<readonly FoundHeartbeat[] | undefined> {
      if (redis.status !== "ready") return undefined;
      try {
        const [fields, now] = await Promise.all([redis.hgetall(key), timeOf(redis, key)]);
        return Object.values(fields).flatMap((text) => {
          const value = parsedJson(text);
          if (!check.Check(value) || now - value.at > forgottenMs) return [];
          return [{ ...value, ageMs: now - value.at }];
        });
      } catch {
        return undefined; // an unreachable Redis is the result here, not an error
      }
    },

    /** The masters of a Redis Cluster, each after a ping of at most 0.5 s. A single server has none. */
    masters: (): Promise<readonly RedisMaster[]> => pingMasters(url, redis),

    /** Ends the heartbeats: other processes no longer see this one. */
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await sending;
      // Without a response the others see this process as gone for a minute.
      if (field !== undefined && redis.status === "ready") await redis.hdel(key, field).catch(() => undefined);
      redis.disconnect();
    },
  };
}

async function pingMasters(url: string, redis: Redis): Promise<readonly RedisMaster[]> {
  if (!isCluster(url)) return [];
  const pings = mastersOf(redis).map(async (master): Promise<RedisMaster> => {
    const { host, port } = master.options;
    const begun = performance.now();
    const pong = master.ping().then(
      () => performance.now() - begun,
      () => undefined, // an unreachable master is the result here, not an error
    );
    const latencyMs = await Promise.race([pong, delay(masterWithinMs, undefined, { ref: false })]);
    return { node: `${host}:${port}`, latencyMs };
  });
  return (await Promise.all(pings)).toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

/** The time of Redis in ms since 1970; in a cluster, of the master with the heartbeats. */
async function timeOf(redis: Redis, key: string): Promise<number> {
  const [seconds, microseconds] = await (masterOfKey(redis, key) ?? redis).time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

/** Deletes what is older than a minute or has no time. Other releases have the time in the same place. */
async function removeForgotten(redis: Redis, key: string, now: number): Promise<void> {
  const forgotten = Object.entries(await redis.hgetall(key)).flatMap(([name, text]) => {
    const at = fieldIn(parsedJson(text), "at");
    return typeof at === "number" && now - at <= forgottenMs ? [] : [name];
  });
  if (forgotten.length > 0) await redis.hdel(key, ...forgotten);
}

/** The heartbeats of a writer or ranker: the reports of its threads, and the problems of its main thread. */
export function fleetHeartbeats(
  app: "writer" | "ranker",
  config: FleetAppConfig,
  log: Logger,
): FleetReporter<WorkReport> {
  const heartbeats = connectHeartbeats({ url: config.redisUrl, namespace: config.namespace, log });
  // One connection, for the clock. The threads log an outage of the database.
  const small = { writeConnections: 1, readConnections: 1, queryTimeoutMs: 1000, log: silentLog };
  const database = connectDatabase({ writeUrl: config.databaseWriteUrl, readUrl: config.databaseWriteUrl, ...small });
  return {
    start(fleet, registry) {
      const report = async () => {
        const main = { thread: null, report: { flows: [], held: [], hops: [], problems: recentProblems(log) } };
        return { threads: fleet()?.threads ?? [], reports: [main, ...((await fleet()?.reports()) ?? [])] };
      };
      heartbeats.start(app, report, clockOffset(database.writer, log, registry));
    },
    stop: async () => void (await Promise.all([heartbeats.stop(), database.close()])),
  };
}
