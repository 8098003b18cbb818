import type { Log } from "@tally/runtime";
import type { Recount } from "@tally/contract";
import { isCluster } from "../connection/cluster-address.ts";
import { openRedis as open, type Redis } from "../connection/open-redis.ts";
import * as scripts from "./scripts.ts";

/** A connection with the scripts of the rankings. */
export type RankingsRedis = Redis & Scripts;

type Call<Arguments extends readonly unknown[], Reply> = (
  shard: string,
  generation: string,
  ...rest: Arguments
) => Promise<Reply>;

interface Scripts {
  readonly tallyApply: Call<
    [producer: string, sequence: number, storedAt: number, moves: Buffer],
    [isNew: number, more: number]
  >;
  readonly tallyLoad: Call<
    [chunk: number, cells: Buffer, asOf: number, ...marks: readonly (string | number | Buffer)[]],
    number
  >;
  readonly tallyIsComplete: Call<[chunks: number], number>;
  readonly tallySwitch: Call<[chunks: number], number>;
  readonly tallyHold: Call<[ms: number], number>;
  readonly tallyRelease: Call<[], number>;
  readonly tallyState: Call<[], [string | null, string | null]>;
  readonly tallyNewest: Call<[], [counted: string | null, inLedger: string | null]>;
  readonly tallyNoteInLedger: Call<[storedAt: number], number>;
  readonly tallyTop: Call<[board: string, limit: number], [string | null, string[]]>;
  readonly tallyScore: Call<[board: string, member: string], string | null>;
  readonly tallyUnmarked: Call<[producer: string, ...sequences: readonly number[]], string[]>;
}

export interface RankingsOptions {
  readonly url: string;
  /** Separates systems in one Redis. */
  readonly namespace: string;
  /** Number of shards of a domain that has no rankings yet. Later the rankings' own number counts. */
  readonly shards: number;
  /** The domains with mirrored counts; others need not be listed. */
  readonly domains: readonly { readonly name: string; readonly recount: Pick<Recount, "boards"> }[];
  /** A command fails after this time; absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number;
  readonly log: Log;
}

type Script = readonly [lua: string, readOnly?: "read only"];

// By the names of their methods. Each gets one key, its shard.
const all: Readonly<Record<keyof Scripts, Script>> = {
  tallyApply: [scripts.apply],
  tallyLoad: [scripts.load],
  tallyIsComplete: [scripts.isComplete, "read only"],
  tallySwitch: [scripts.switchTo],
  tallyHold: [scripts.hold],
  tallyRelease: [scripts.release],
  tallyState: [scripts.state, "read only"],
  tallyNewest: [scripts.newest, "read only"],
  tallyNoteInLedger: [scripts.noteInLedger],
  tallyTop: [scripts.top, "read only"],
  tallyScore: [scripts.score, "read only"],
  tallyUnmarked: [scripts.unmarked, "read only"],
};

/** Opens one connection with the scripts of the rankings. Commands may be repeated: reads change nothing, apply and load set marks. */
export function openRedis({ url, commandTimeoutMs, log }: RankingsOptions): RankingsRedis {
  const guarded = isCluster(url);
  const define = ([name, [lua, readOnly]]: [string, Script]) =>
    [name, { lua, numberOfKeys: guarded ? 2 : 1, readOnly: readOnly !== undefined }] as const;
  const definitions = Object.fromEntries(Object.entries(all).map(define));
  const redis = open({ url, label: "rankings", commandTimeoutMs, scripts: definitions, log });
  if (guarded) for (const name of Object.keys(all)) guard(redis, name);
  // The driver adds a method for each script.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return redis as RankingsRedis;
}

/**
 * Calls a script with a second key of the same slot. Neither key exists. While the slot moves to another node, some keys of the shard are here
 * and some are there, and a script would see half of them. With two keys that it does not find, each node rejects the script before
 * it runs (ASK, then TRYAGAIN), so it waits for the end of the move.
 */
function guard(redis: object, name: string): void {
  const call: unknown = Reflect.get(redis, name);
  if (typeof call !== "function") throw new TypeError(`no script ${name}`);
  const guardedCall = (shard: string, ...rest: readonly unknown[]): unknown =>
    Reflect.apply(call, redis, [shard, `${shard}}`, ...rest]);
  Object.defineProperty(redis, name, { value: guardedCall });
}
