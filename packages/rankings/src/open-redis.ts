import type { Log } from "@tally/failures";
import type { Recount } from "@tally/pipeline";
import { openRedis as open, type Redis } from "@tally/redis";
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
  readonly tallySwitch: Call<[chunks: number], number>;
  readonly tallyHold: Call<[ms: number], number>;
  readonly tallyRelease: Call<[], number>;
  readonly tallyState: Call<[], [string | null, string | null]>;
  readonly tallyTop: Call<[board: string, limit: number], [string | null, string[]]>;
  readonly tallyScore: Call<[board: string, member: string], string | null>;
  readonly tallyUnmarked: Call<[producer: string, ...sequences: readonly number[]], string[]>;
}

export interface RankingsOptions {
  readonly url: string;
  /** Separates systems in one Redis. */
  readonly namespace: string;
  /** Number of shards of each domain; the same in all processes. */
  readonly shards: number;
  /** The domains with mirrored counts; others need not be listed. */
  readonly domains: readonly { readonly name: string; readonly recount: Pick<Recount, "boards"> }[];
  /** A command fails after this time; absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number;
  readonly log: Log;
}

/** Opens one connection with the scripts of the rankings. Commands may be repeated: reads change nothing, apply and load set marks. */
export function openRedis({ url, commandTimeoutMs, log }: RankingsOptions): RankingsRedis {
  const redis = open({
    url,
    label: "rankings",
    commandTimeoutMs,
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
    log,
  });
  // The driver adds a method for each script.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return redis as RankingsRedis;
}
