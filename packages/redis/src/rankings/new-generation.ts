import { randomBytes } from "node:crypto";
import { setImmediate as immediate } from "node:timers/promises";
import { Moves, textOfBatchId, textOfSeries, type KeptSeries, type MirroredBoards } from "@tally/contract";
import { batchRanking, firstGeneration, keysOfShard, withChain, type Shards } from "./live-shards.ts";
import { encodeMember, encodeMoves, packr, shardOf } from "./encode-moves.ts";
import type { Cells, MirroredCounts, NewGeneration } from "./rankings.ts";
import type { Mark, RankingsRedis } from "./scripts.ts";

/*
 * The life of a generation:
 *
 *   building   its builder holds the shard's `builder` key and loads chunks, each once. The live one continues
 *   live       every chunk is loaded: one switch for each shard, the first shard last. The one before is deleted
 *   abandoned  its builder failed or died: the next builder deletes it
 */

// A chunk blocks Redis for 1 to 3 ms.
const cellsPerChunk = 1000;
const markBytesPerChunk = 64 * 1024;
const chunksInFlightMax = 8;
// Short: after a builder was killed, others cannot build for this long.
const holdMs = 10_000;
const holdAgainMs = 2000;

// More than lua/move.lua keeps, so that it notes where the board ends. By default, Redis packs up to 128 members.
const bestOfMember = 120;

const noMoves = packr.pack([[], []]);

/** Begins a generation; undefined while another process builds one. `liveKeys`: shards of the live one. */
export async function buildGeneration(
  redis: RankingsRedis,
  keys: readonly string[],
  liveKeys: readonly string[],
): Promise<NewGeneration | undefined> {
  const allKeys = keys.length < liveKeys.length ? liveKeys : keys;
  const [first = "", ...others] = allKeys;
  // Differs from the names of earlier ones, even after Redis has lost them all.
  const name = `${Date.now()}000r${randomBytes(4).toString("hex")}x${keys.length}`;
  const hold = new Hold(redis, first, name);
  if (!(await hold.take())) return undefined;
  const sweepAll = async (own?: string): Promise<void> => {
    for (const key of allKeys) await sweep(redis, key, hold, own);
  };
  // Beside the load: builders that die again and again must not fill Redis.
  const swept = sweepAll(name).catch(() => undefined);
  const loader = new Loader(redis, keys, name);
  const onShards = <T>(_: string, use: (shards: Shards) => Promise<T>) => use({ keys, live: name });
  const switchOne = async (key: string, index: number, how: "check" | "switch"): Promise<boolean> =>
    (await redis.tallySwitch(key, name, loader.chunksOf(index), how)) === 1;
  return {
    ...batchRanking(redis, onShards),
    add: (board, cells) => loader.add(board, cells),
    addMirrored: (boards, counts) => loader.addMirrored(boards, counts),
    mark: (producer, marks) => loader.mark(producer, marks),
    loaded: async (asOf) => void (await Promise.all([loader.end(asOf), swept])),

    async noteFolded(batches) {
      await Promise.all(keys.map((key) => redis.set(`${key}:${name}:folded`, batches)));
    },

    async noteRecent(batches) {
      if (batches.length > 0) await redis.sadd(`${first}:${name}:recent`, ...batches.map(textOfBatchId));
    },

    async noteSeries(kept) {
      const series = JSON.stringify({ ...kept, chain: true } satisfies KeptSeries);
      const needs = withChain(textOfSeries(kept));
      for (const key of keys) await redis.mset(`${key}:${name}:series`, series, `${key}:${name}:needs`, needs);
    },

    async switch() {
      // A process that was frozen for longer than `holdMs` may have been overtaken.
      if (!(await hold.renew())) return false;
      // Before the first is switched: one that has lost a part would leave the others switched.
      const checks = await Promise.all(allKeys.map((key, index) => switchOne(key, index, "check")));
      if (!checks.every(Boolean)) return false;
      // A shard without a part of it, too: there a process that knows the earlier number of shards learns the new one.
      const switched = await Promise.all(others.map((key, index) => switchOne(key, index + 1, "switch")));
      return switched.every(Boolean) && (await switchOne(first, 0, "switch"));
    },

    async release() {
      try {
        await swept;
        await sweepAll();
      } finally {
        hold.stop();
      }
      await redis.tallyRelease(first, name);
    },
  };
}

/** The right to build, renewed every 2 s. */
class Hold {
  readonly #take: () => Promise<boolean>;
  #takenAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isHeld = false;

  constructor(redis: RankingsRedis, shard: string, name: string) {
    this.#take = async () => (await redis.tallyHold(shard, name, holdMs)) === 1;
  }

  async take(): Promise<boolean> {
    this.#takenAt = performance.now();
    this.#isHeld = await this.#take();
    if (this.#isHeld) this.#timer = setInterval(() => void this.renew().catch(() => undefined), holdAgainMs);
    return this.#isHeld;
  }

  async renew(): Promise<boolean> {
    const now = performance.now();
    // After it expired, another builder may have come and gone.
    this.#isHeld &&= now - this.#takenAt < holdMs && (await this.#take());
    this.#takenAt = now;
    return this.#isHeld;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

class Loader {
  readonly #redis: RankingsRedis;
  readonly #name: string;
  /** `places` of `#mirrored` wait too: see lua/load.lua. */
  readonly #shards: readonly { readonly key: string; chunks: number; cellsWaiting: number; places: unknown[] }[];
  readonly #inFlight = new Set<Promise<void>>();
  #waiting = new Moves();
  #mirrored: MirroredBoards = { prefix: "", mirrorPrefix: "" };
  #asOf = 0;
  #failure: unknown;

  constructor(redis: RankingsRedis, keys: readonly string[], name: string) {
    this.#redis = redis;
    this.#name = name;
    this.#shards = keys.map((key) => ({ key, chunks: 0, cellsWaiting: 0, places: [] }));
  }

  /** 0 for a shard that only the live generation has. */
  chunksOf(shard: number): number {
    return this.#shards[shard]?.chunks ?? 0;
  }

  async add(board: string, cells: Cells): Promise<void> {
    for (const [member, count] of cells) {
      this.#waiting.add(board, String(member), count);
      if (this.#isFull(board)) await this.#flush();
    }
  }

  async addMirrored(boards: MirroredBoards, counts: MirroredCounts): Promise<void> {
    const { prefix, mirrorPrefix } = (this.#mirrored = boards);
    for (const { board, cells } of counts.byKey(prefix)) {
      // The highest score first: Redis inserts it at the beginning of a packed set, without a search for its place.
      const places = cells.toSorted(([, a], [, b]) => a - b);
      for (let at = 0; at < places.length; at += cellsPerChunk)
        await this.#place(shardOf(board, this.#shards.length), board, places.slice(at, at + cellsPerChunk), false);
    }
    for (const { board, cells } of counts.byMember(mirrorPrefix)) {
      const shards = Map.groupBy(cells, ([key]) => shardOf(prefix + String(key), this.#shards.length));
      for (const [shard, own] of shards) await this.#place(shard, board, bestOf(own), true);
    }
    await this.#flush();
  }

  async #place(index: number, board: string, cells: Cells, isOfMember: boolean): Promise<void> {
    const shard = this.#shards[index];
    shard?.places.push(
      board,
      cells.flatMap(([id, count]) => [-count, encodeMember(id)]),
      isOfMember,
    );
    if (shard === undefined || (shard.cellsWaiting += cells.length) < cellsPerChunk) return;
    shard.cellsWaiting = 0;
    await this.#sendPlaces(index, shard.places);
  }

  async #sendPlaces(shard: number, places: unknown[]): Promise<void> {
    const { prefix, mirrorPrefix } = this.#mirrored;
    if (places.length > 0) await this.#send(shard, packr.pack([[], [], [prefix, mirrorPrefix, places.splice(0)]]));
  }

  async mark(producer: string, marks: Buffer): Promise<void> {
    for (const shard of this.#shards.keys()) {
      for (let at = 0; at < marks.length; at += markBytesPerChunk)
        await this.#send(shard, noMoves, [producer, at, marks.subarray(at, at + markBytesPerChunk)]);
    }
  }

  async end(asOf: number): Promise<void> {
    this.#asOf = asOf;
    await this.#flush();
    // Each shard gets its as-of time, and has at least one chunk, so that a loss is noticed.
    for (const shard of this.#shards.keys()) await this.#send(shard, noMoves);
    await Promise.all(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Counts a cell of a board that waits. A chunk is as long as the most cells of one shard. */
  #isFull(board: string): boolean {
    const shard = this.#shards[shardOf(board, this.#shards.length)];
    return shard !== undefined && ++shard.cellsWaiting >= cellsPerChunk;
  }

  async #flush(): Promise<void> {
    const moves = encodeMoves(this.#waiting, this.#shards.length).shards;
    this.#waiting = new Moves();
    for (const shard of this.#shards) shard.cellsWaiting = 0;
    for (const [shard, cells] of moves.entries()) if (cells.length > noMoves.length) await this.#send(shard, cells);
    for (const [shard, { places }] of this.#shards.entries()) await this.#sendPlaces(shard, places);
  }

  async #send(index: number, cells: Buffer, marks: readonly Mark[] = []): Promise<void> {
    while (this.#inFlight.size >= chunksInFlightMax) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure;
    const shard = this.#shards[index];
    if (shard === undefined) return;
    const sent = this.#redis
      .tallyLoad(shard.key, this.#name, shard.chunks++, cells, this.#asOf, ...marks)
      .then(() => undefined)
      .catch((error: unknown) => void (this.#failure ??= error))
      .finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
    // Sent before the next one is made: Redis works meanwhile.
    await immediate();
  }
}

/** Those with the highest counts, then the smallest ids. */
function bestOf(cells: Cells): Cells {
  if (cells.length <= bestOfMember) return cells;
  const counts = Float64Array.from(cells, ([, count]) => count).toSorted();
  const last = counts.at(-bestOfMember) ?? 0;
  const above = cells.filter(([, count]) => count > last);
  const equal = cells.filter(([, count]) => count === last).toSorted(([a], [b]) => Number(a) - Number(b));
  return [...above, ...equal.slice(0, bestOfMember - above.length)];
}

/** Deletes all generations of a shard but the live one and `own`, while the builder holds. */
async function sweep(redis: RankingsRedis, shard: string, hold: Hold, own?: string): Promise<void> {
  for await (const keys of keysOfShard(redis, `${shard}:`)) {
    // After the keys were read: another builder that has keys among them builds (no `renew`), or has switched (live).
    if (!(await hold.renew())) return;
    const live = (await redis.get(`${shard}:generation`)) ?? firstGeneration;
    const gone = keys.filter((key) => {
      const [generation = "", ...rest] = key.slice(shard.length + 1).split(":");
      return rest.length > 0 && generation !== live && generation !== own;
    });
    if (gone.length > 0) await redis.unlink(...gone);
  }
}
