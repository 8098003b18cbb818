import { Redis, type Result } from "ioredis";
import { shardOf } from "./encode-moves.ts";
import { decodeMember } from "./member.ts";
import * as scripts from "./scripts.ts";

declare module "ioredis" {
  interface RedisCommander<Context> {
    tallyApply(
      shard: string,
      producer: string,
      sequence: number,
      storedAt: number,
      moves: Buffer,
    ): Result<number, Context>;
    tallyTop(shard: string, board: string, limit: number): Result<[string | null, string[]], Context>;
    tallyUnmarked(shard: string, producer: string, ...sequences: readonly number[]): Result<string[], Context>;
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

/** A batch whose moves are to be applied. */
interface AppliedBatch {
  readonly batch: { readonly producer: string; readonly sequence: number };
  readonly storedAt: number;
  readonly shards: readonly Buffer[];
}

export interface BoardTop {
  readonly entries: readonly { readonly member: string; readonly count: number }[];
  readonly asOf: number | undefined;
}

/** Live rankings of all domains in one Redis. Every call is one round trip for each shard it touches. */
export interface Rankings {
  /** Applies a batch's moves unless they are applied already; answers whether any shard was still without them. */
  apply(domain: string, message: AppliedBatch): Promise<boolean>;
  /** Whether every shard has applied this batch. */
  isApplied(domain: string, batch: AppliedBatch["batch"]): Promise<boolean>;
  /** Those of some batches that a shard has not applied. One script for each producer and shard. */
  unmarked<B extends AppliedBatch["batch"]>(domain: string, batches: readonly B[]): Promise<readonly B[]>;
  /** Names the running Redis process: another answer means that it started again and may have lost something. */
  instance(): Promise<string>;
  /** The members with the highest counts of one board, equal counts by the smaller id. An unknown board is empty. */
  top(domain: string, board: string, limit: number): Promise<BoardTop>;
  /** False while Redis does not answer. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connects, and goes on connecting with back-off for as long as it takes; it never throws for a Redis that is away. */
export function connectRankings(options: RankingsOptions): Rankings {
  const redis = open(options);

  async function unmarked<B extends AppliedBatch["batch"]>(
    domain: string,
    batches: readonly B[],
  ): Promise<readonly B[]> {
    const byProducer = Map.groupBy(batches, (batch) => batch.producer);
    const missing = await Promise.all(
      [...byProducer].flatMap(([producer, own]) =>
        Array.from({ length: options.shards }, async (_, shard) => {
          const key = scripts.shardKey(options.namespace, domain, shard);
          const sequences = new Set(await redis.tallyUnmarked(key, producer, ...own.map(({ sequence }) => sequence)));
          return own.filter(({ sequence }) => sequences.has(String(sequence)));
        }),
      ),
    );
    return [...new Set(missing.flat())];
  }

  return {
    async apply(domain, { batch, storedAt, shards }) {
      if (shards.length !== options.shards) {
        throw new RankingsError(`a message for ${shards.length} shards meets rankings with ${options.shards}`);
      }
      const results = await Promise.all(
        shards.map((moves, shard) =>
          redis.tallyApply(
            scripts.shardKey(options.namespace, domain, shard),
            batch.producer,
            batch.sequence,
            storedAt,
            moves,
          ),
        ),
      );
      return results.includes(1);
    },

    async isApplied(domain, batch) {
      return (await unmarked(domain, [batch])).length === 0;
    },

    unmarked,

    async instance() {
      return /^run_id:(.*)$/m.exec(await redis.info("server"))?.[1]?.trim() ?? "";
    },

    async top(domain, board, limit) {
      const shard = scripts.shardKey(options.namespace, domain, shardOf(board, options.shards));
      const [asOf, flat] = await redis.tallyTop(shard, board, limit);
      return { entries: entriesOf(flat), asOf: asOf === null ? undefined : Number(asOf) };
    },

    async ping() {
      try {
        return redis.status === "ready" && (await redis.ping()) === "PONG";
      } catch {
        return false; // the caller asks for exactly this: does it answer
      }
    },

    async close() {
      redis.disconnect();
    },
  };
}

/** The rankings are not what this process was told they are. */
export class RankingsError extends Error {
  readonly code = "RANKINGS";
}

function open({ url, commandTimeoutMs, log }: RankingsOptions): Redis {
  const redis = new Redis(url, {
    // Half of what one event loop turn asks for at once leaves as one write (measured: 80,000 → 105,000 commands/s).
    enableAutoPipelining: true,
    // With a time-out the caller wants an answer now; without, a command waits for Redis, for ever if need be. Sending it
    // again after a cut is safe: reads change nothing, and apply is marked.
    maxRetriesPerRequest: commandTimeoutMs === undefined ? null : 1,
    ...(commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs }),
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 2000) * (0.5 + Math.random() / 2),
    scripts: {
      tallyApply: { lua: scripts.apply, numberOfKeys: 1 },
      tallyTop: { lua: scripts.top, numberOfKeys: 1, readOnly: true },
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

function entriesOf(flat: readonly string[]): BoardTop["entries"] {
  return Array.from({ length: flat.length / 2 }, (_, i) => ({
    member: decodeMember(flat[2 * i] ?? ""),
    count: -Number(flat[2 * i + 1]),
  }));
}
