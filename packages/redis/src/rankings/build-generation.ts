import { Moves, type MirroredBoards } from "@tally/contract";
import type { RankingsRedis } from "./open-redis.ts";
import { batchCounter } from "./batch-counter.ts";
import { encodeMoves, packr, shardOf } from "./encode-moves.ts";
import { keysOfShard } from "./keys-of-shard.ts";
import type { BatchCounter } from "./rankings.ts";
import { firstGeneration } from "./scripts.ts";

/*
 * The life of a generation:
 *
 *   building   its builder holds the shard's `builder` key and loads chunks, each of which counts once. The live one continues
 *   live       every chunk is loaded: one switch for each shard, the first shard last. The one before is deleted
 *   abandoned  its builder failed or died: the next builder deletes it
 */

type Cells = readonly (readonly [id: string, count: number])[];

/** A generation that is being built. All its calls reject when Redis is down for too long. */
export interface NewGeneration extends BatchCounter {
  /** Adds cells of one board, in portions of any size; each cell once. */
  add(board: string, cells: Cells): Promise<void>;
  /** Adds mirrored counts of one member, in portions of any size; each once. `cells`: keys and their counts. */
  addMirrored(boards: MirroredBoards, member: string, cells: Cells): Promise<void>;
  /** Adds the marks of a producer, one for each counted batch: bit n, highest bit of a byte first, is sequence n. */
  mark(producer: string, marks: Buffer): Promise<void>;
  /** Waits until everything that was added is loaded. `asOf`: when the newest of its batches was stored. */
  loaded(asOf: number): Promise<void>;
  /** Makes it the live one. False when Redis has lost a part of it: then it is unusable. */
  switch(): Promise<boolean>;
  /** Lets others build, and deletes what is not live. Always called at the end. */
  release(): Promise<void>;
}

// A chunk blocks Redis for 1 to 3 ms.
const cellsPerChunk = 1000;
const markBytesPerChunk = 64 * 1024;
const chunksInFlightMax = 8;
// Short: after a builder was killed, others cannot build for this long.
const holdMs = 10_000;
const holdAgainMs = 2000;

const noMoves = packr.pack([[], []]);

interface Shard {
  readonly key: string;
  chunks: number;
}

/**
 * Begins a generation; undefined while another process builds one for this domain. `keys`: its shards. `liveKeys`: those of the live one, of which there may be
 * more or fewer; the first is the same.
 */
export async function buildGeneration(
  redis: RankingsRedis,
  keys: readonly string[],
  liveKeys: readonly string[],
  mirrors: readonly MirroredBoards[],
): Promise<NewGeneration | undefined> {
  // Differs from the names of earlier ones, even after Redis has lost them all.
  const name = `${Date.now()}${String(Math.floor(Math.random() * 1000)).padStart(3, "0")}x${keys.length}`;
  const allKeys = keys.length < liveKeys.length ? liveKeys : keys;
  const [first = ""] = keys;
  let heldAt = performance.now();
  if ((await redis.tallyHold(first, name, holdMs)) === 0) return undefined;
  let held = true;
  const hold = async (): Promise<boolean> => {
    const now = performance.now();
    // After it expired, another builder may have come and gone.
    held &&= now - heldAt < holdMs && (await redis.tallyHold(first, name, holdMs)) === 1;
    heldAt = now;
    return held;
  };
  const holding = setInterval(() => void hold().catch(() => undefined), holdAgainMs);
  const shards = keys.map((key): Shard => ({ key, chunks: 0 }));
  const inFlight = new Set<Promise<void>>();
  let waiting = new Moves();
  const cellsWaiting = new Uint32Array(shards.length);
  let failure: unknown;
  let asOf = 0;

  async function send(shard: Shard, cells: Buffer, marks: readonly (string | number | Buffer)[]): Promise<void> {
    while (inFlight.size >= chunksInFlightMax) await Promise.race(inFlight);
    if (failure !== undefined) throw failure;
    const sent = redis
      .tallyLoad(shard.key, name, shard.chunks++, cells, asOf, ...marks)
      .then(() => undefined)
      .catch((error: unknown) => void (failure ??= error))
      .finally(() => inFlight.delete(sent));
    inFlight.add(sent);
  }

  async function flush(): Promise<void> {
    const moves = encodeMoves(waiting, shards.length).shards;
    waiting = new Moves();
    cellsWaiting.fill(0);
    for (const [index, shard] of shards.entries()) {
      const cells = moves[index] ?? noMoves;
      if (cells.length > noMoves.length) await send(shard, cells, []);
    }
  }

  /** Counts a cell of a board that waits. A chunk is as long as the most cells of one shard. */
  function isFull(board: string): boolean {
    const shard = shardOf(board, shards.length);
    cellsWaiting[shard] = (cellsWaiting[shard] ?? 0) + 1;
    return cellsWaiting[shard] >= cellsPerChunk;
  }

  return {
    ...batchCounter(
      redis,
      (_, use) => use({ keys, live: name }),
      () => mirrors,
    ),

    async add(board, cells) {
      for (const [member, count] of cells) {
        waiting.add(board, member, count);
        if (isFull(board)) await flush();
      }
    },

    async addMirrored(boards, member, cells) {
      for (const [key, count] of cells) {
        waiting.addMirrored(boards, key, member, count);
        if (isFull(boards.prefix + key)) await flush();
      }
    },

    async mark(producer, marks) {
      for (const shard of shards) {
        for (let at = 0; at < marks.length; at += markBytesPerChunk) {
          await send(shard, noMoves, [producer, at, marks.subarray(at, at + markBytesPerChunk)]);
        }
      }
    },

    async loaded(newest) {
      asOf = newest;
      await flush();
      for (const shard of shards) {
        await send(shard, noMoves, []); // each shard gets its as-of time, and has at least one chunk, so that a loss is noticed
      }
      await Promise.all(inFlight);
      if (failure !== undefined) throw failure;
    },

    async switch() {
      // A process that was frozen for longer than `holdMs` may have been overtaken.
      if (!(await hold())) return false;
      const chunksOf = (index: number): number => shards[index]?.chunks ?? 0;
      // Before the first is switched: one that has lost a part would leave the others switched.
      const complete = await Promise.all(
        allKeys.map((key, index) => redis.tallyIsComplete(key, name, chunksOf(index))),
      );
      if (complete.includes(0)) return false;
      // A shard without a part of it gets its name too: a process that knows the earlier number of shards learns the new one there.
      const switchOne = async (key: string, index: number): Promise<boolean> =>
        (await redis.tallySwitch(key, name, chunksOf(index))) === 1;
      const [, ...others] = await Promise.all(
        allKeys.map(async (key, index) => index === 0 || (await switchOne(key, index))),
      );
      return others.every(Boolean) && (await switchOne(first, 0));
    },

    async release() {
      try {
        for (const key of allKeys) await sweep(redis, key, name, () => held);
      } finally {
        clearInterval(holding);
      }
      await redis.tallyRelease(first, name);
    },
  };
}

/** Deletes all generations of a shard that are neither live nor younger than `name`. Only the builder may call it, while it holds. */
async function sweep(redis: RankingsRedis, shard: string, name: string, isHeld: () => boolean): Promise<void> {
  const live = (await redis.get(`${shard}:generation`)) ?? firstGeneration;
  for await (const keys of keysOfShard(redis, `${shard}:`)) {
    if (!isHeld()) return;
    const gone = keys.filter((key) => {
      const [generation = "", ...rest] = key.slice(shard.length + 1).split(":");
      return rest.length > 0 && generation !== live && startOf(generation) <= startOf(name);
    });
    if (gone.length > 0) await redis.unlink(...gone);
  }
}

/** When a generation was begun; names of one domain differ. */
function startOf(name: string): number {
  return Number.parseInt(name, 10);
}
