import { readFileSync } from "node:fs";
import { isCluster } from "../connection/cluster.ts";
import { openRedis } from "../connection/open-redis.ts";
import type { Redis } from "../connection/redis.ts";
import type { RankingsOptions } from "./rankings.ts";

/** A connection with a method for each file of lua/; its header describes arguments and reply. */
export type RankingsRedis = Redis & Scripts;

type Call<Rest extends readonly unknown[], Reply> = (
  shard: string,
  generation: string,
  ...rest: Rest
) => Promise<Reply>;

/** Each part of the marks: producer, offset in bytes, bits. */
export type Mark = string | number | Buffer;

interface Scripts {
  readonly tallyRank: Call<
    [producer: string, sequence: number, storedAt: number, moves: Buffer, isFirst: 0 | 1, series: string],
    [number, number]
  >;
  readonly tallyLoad: Call<[chunk: number, cells: Buffer, asOf: number, ...marks: readonly Mark[]], number>;
  readonly tallySwitch: Call<[chunks: number, how: "check" | "switch"], number>;
  readonly tallyHold: Call<[ms: number], number>;
  readonly tallyRelease: Call<[], number>;
  readonly tallyInLedger: Call<[place: string], [noted: string, next: string, batches: string[]]>;
  readonly tallyNoteEpoch: Call<[epoch: number, token: string, ...batches: readonly string[]], number>;
  readonly tallyTop: Call<
    [board: string, limit: number],
    [asOf: string | null, places: string[], lacks: 0 | 1 | 2, series: string | null]
  >;
  readonly tallyScore: Call<[board: string, member: string], string | null>;
  readonly tallyDigests: Call<readonly string[], string[]>;
  readonly tallyUnmarked: Call<[producer: string, ...sequences: readonly number[]], string[]>;
}

const files: Readonly<Record<keyof Scripts, string>> = {
  tallyRank: "rank",
  tallyLoad: "load",
  tallySwitch: "switch",
  tallyHold: "hold",
  tallyRelease: "release",
  tallyInLedger: "in-ledger",
  tallyNoteEpoch: "note-epoch",
  tallyTop: "top",
  tallyScore: "score",
  tallyDigests: "digests",
  tallyUnmarked: "unmarked",
};

/** The text of a script with the files that it includes. */
export function readScript(name: string): string {
  const lua = readFileSync(new URL(`lua/${name}.lua`, import.meta.url), "utf8");
  return lua.replaceAll(/^--- @include "([\w-]+)"$/gm, (_, included: string) => readScript(included));
}

/** Opens one connection with the scripts. Commands may be repeated: reads change nothing, rank and load set marks. */
export function openRankingsRedis({ url, commandTimeoutMs, log }: RankingsOptions): RankingsRedis {
  const guarded = isCluster(url);
  const numberOfKeys = guarded ? 2 : 1;
  const scripts = Object.fromEntries(
    Object.entries(files).map(([method, file]) => [method, { lua: readScript(file), numberOfKeys }]),
  );
  const redis = openRedis({ url, label: "rankings", commandTimeoutMs, scripts, log });
  if (guarded) for (const method of Object.keys(files)) guard(redis, method);
  // The driver adds a method for each script.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return redis as RankingsRedis;
}

/** Calls a script with a second key of the same slot; neither key exists. While a slot moves, each of the two nodes has
 * some keys of the shard. For two keys that it does not find, a node rejects the script before it runs (ASK, then
 * TRYAGAIN), so it waits for the end of the move. */
function guard(redis: object, method: string): void {
  const call: unknown = Reflect.get(redis, method);
  if (typeof call !== "function") throw new TypeError(`no script ${method}`);
  const guardedCall = (shard: string, ...rest: readonly unknown[]): unknown =>
    Reflect.apply(call, redis, [shard, `${shard}}`, ...rest]);
  Object.defineProperty(redis, method, { value: guardedCall });
}
