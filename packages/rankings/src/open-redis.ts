import { Redis, type Result } from "ioredis";
import * as scripts from "./scripts.ts";

declare module "ioredis" {
  interface RedisCommander<Context> {
    tallyApply(
      shard: string,
      generation: string,
      producer: string,
      sequence: number,
      storedAt: number,
      moves: Buffer,
    ): Result<[applied: number, more: number], Context>;
    tallyLoad(
      shard: string,
      generation: string,
      chunk: number,
      moves: Buffer,
      asOf: number,
      ...marks: readonly (string | number | Buffer)[]
    ): Result<number, Context>;
    tallySwitch(shard: string, generation: string, chunks: number): Result<number, Context>;
    tallyHold(shard: string, generation: string, ms: number): Result<number, Context>;
    tallyRelease(shard: string, generation: string): Result<number, Context>;
    tallyState(shard: string, generation: string): Result<[string | null, string | null], Context>;
    tallyTop(
      shard: string,
      generation: string,
      board: string,
      limit: number,
    ): Result<[string | null, string[]], Context>;
    tallyScore(shard: string, generation: string, board: string, member: string): Result<string | null, Context>;
    tallyUnmarked(
      shard: string,
      generation: string,
      producer: string,
      ...sequences: readonly number[]
    ): Result<string[], Context>;
  }
}

/** What is told of a connection's state: one line for each change. Pino's shape. */
interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface RankingsOptions {
  readonly url: string;
  /** Keeps several systems apart in one Redis. */
  readonly namespace: string;
  /** How many shards each domain's boards are spread over; the same number everywhere. */
  readonly shards: number;
  /** How long one command may take before it is given up; absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number;
  readonly log: Log;
}

// Longer than any script or snapshot may keep Redis busy.
const silenceMs = 20_000;
// However many commands are told that their server is read-only.
const leaveEveryMs = 1000;

/** One connection with our scripts, which comes back by itself for as long as it takes. */
export function openRedis({ url, commandTimeoutMs, log }: RankingsOptions): Redis {
  let leftAt = -leaveEveryMs;
  const redis = new Redis(url, {
    // Half of what one event loop turn asks for at once leaves as one write (measured: 80,000 → 105,000 commands/s).
    enableAutoPipelining: true,
    // With a time-out the caller wants an answer now; without, a command waits for Redis, for ever if need be. Sending it
    // again after a cut is safe: reads change nothing, apply and load are marked.
    maxRetriesPerRequest: commandTimeoutMs === undefined ? null : 1,
    ...(commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs }),
    // A peer that is gone without a word: no answer for so long, and the connection is made anew.
    socketTimeout: silenceMs,
    // A primary that became a replica in a failover goes on answering: behind its name there may be another by now.
    reconnectOnError(error) {
      const now = performance.now();
      if (!error.message.includes("READONLY") || now - leftAt < leaveEveryMs) return false;
      leftAt = now;
      return true;
    },
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 2000) * (0.5 + Math.random() / 2),
    scripts: {
      tallyApply: { lua: scripts.apply, numberOfKeys: 1 },
      tallyLoad: { lua: scripts.load, numberOfKeys: 1 },
      tallySwitch: { lua: scripts.switchTo, numberOfKeys: 1 },
      tallyHold: { lua: scripts.hold, numberOfKeys: 1 },
      tallyRelease: { lua: scripts.release, numberOfKeys: 1 },
      tallyState: { lua: scripts.state, numberOfKeys: 1, readOnly: true },
      tallyTop: { lua: scripts.top, numberOfKeys: 1, readOnly: true },
      tallyScore: { lua: scripts.score, numberOfKeys: 1, readOnly: true },
      tallyUnmarked: { lua: scripts.unmarked, numberOfKeys: 1, readOnly: true },
    },
  });
  let down: boolean | undefined;
  redis.on("ready", () => {
    if (down !== false) log.info({}, "rankings: connected to Redis");
    down = false;
  });
  redis.on("error", (error: Error) => {
    if (down !== true) log.warn({ reason: error.message }, "rankings: Redis is away; connecting again");
    down = true;
  });
  return redis;
}
