import { hostname } from "node:os";
import { Outage, type Log } from "@tally/failures";
import { openRedis } from "@tally/redis";
import { Compile } from "typebox/compile";
import { Heartbeat, heartbeatOf, type ThreadState, type WorkReport } from "./heartbeat.ts";

/*
 * One hash for each system: <namespace>:{status}:processes. A field for each process with its last heartbeat as JSON, written once a second.
 * A process that stops deletes its field. One that dies leaves it, and readers see that its time stands still. The hash expires with
 * its last process.
 */

const beatEveryMs = 1000;
const expiresMs = 60_000;
// Readers see a dead process for as long, then one of them deletes its field.
const forgottenMs = 60_000;
const commandTimeoutMs = 700;

const check = Compile(Heartbeat);

export interface HeartbeatOptions {
  readonly url: string;
  /** Separates systems in one Redis. */
  readonly namespace: string;
  readonly log: Log;
}

/** The connection of a process for its own heartbeats, and for reading those of all. No call throws because Redis is down. */
export interface Heartbeats {
  /** Sends the heartbeat of this process every second, until `stop`. One write of two commands; nothing while Redis is down. */
  start(app: Heartbeat["app"], report: () => Promise<ProcessReport> | ProcessReport): void;
  /** The last heartbeat of each process, at most a minute old; undefined: Redis does not respond within 0.7 s. */
  read(): Promise<readonly Heartbeat[] | undefined>;
  /** Ends the heartbeats: other processes no longer see this one. */
  stop(): Promise<void>;
}

export interface ProcessReport {
  readonly threads: readonly ThreadState[];
  /** `thread`: the index, or null for the main thread. */
  readonly reports: readonly { readonly thread: number | null; readonly report: WorkReport }[];
}

/** Connects, and reconnects without end. */
export function connectHeartbeats({ url, namespace, log }: HeartbeatOptions): Heartbeats {
  const redis = openRedis({ url, label: "heartbeats", commandTimeoutMs, queuesWhileDown: false, log });
  const key = `${namespace}:{status}:processes`;
  const outage = new Outage(log, "send the heartbeat of this process to Redis");
  const startedAt = Date.now();
  let field: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  async function send(app: Heartbeat["app"], report: () => Promise<ProcessReport> | ProcessReport): Promise<void> {
    // The connection logs its own outages.
    if (redis.status !== "ready") return;
    try {
      const { threads, reports } = await report();
      const own = { app, host: hostname(), pid: process.pid, startedAt };
      field = `${app} ${own.host} ${own.pid} ${startedAt}`;
      const heartbeat = JSON.stringify(heartbeatOf(own, threads, reports));
      await Promise.all([redis.hset(key, field, heartbeat), redis.pexpire(key, expiresMs)]);
      outage.worked();
    } catch (error) {
      outage.failed(error);
    }
  }

  return {
    start(app, report) {
      // Never twice at once: a slow Redis gets no second heartbeat before the first has ended.
      const beat = (): void => {
        sending ??= send(app, report).finally(() => (sending = undefined));
      };
      redis.on("ready", beat);
      timer = setInterval(beat, beatEveryMs);
    },

    async read() {
      if (redis.status !== "ready") return undefined;
      try {
        const fields = Object.entries(await redis.hgetall(key));
        const now = Date.now();
        const heartbeats: Heartbeat[] = [];
        const forgotten: string[] = [];
        for (const [name, text] of fields) {
          const heartbeat = parsed(text);
          if (heartbeat === undefined) continue;
          if (now - heartbeat.at > forgottenMs) forgotten.push(name);
          else heartbeats.push(heartbeat);
        }
        if (forgotten.length > 0) await redis.hdel(key, ...forgotten);
        return heartbeats;
      } catch {
        return undefined; // an unreachable Redis is the result here, not an error
      }
    },

    async stop() {
      clearInterval(timer);
      await sending;
      // Without a response the others see this process as gone for a minute.
      if (field !== undefined && redis.status === "ready") await redis.hdel(key, field).catch(() => undefined);
      redis.disconnect();
    },
  };
}

/** undefined: a process of another release reports in another form. */
function parsed(text: string): Heartbeat | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return check.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
