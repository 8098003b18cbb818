import type { RankingsRedis } from "./open-redis.ts";
import { Packr } from "msgpackr";
import { applied } from "./applied.ts";
import { shardOf } from "./encode-moves.ts";
import { keysOfShard } from "./keys-of-shard.ts";
import { encodeMember } from "./member.ts";
import type { Applied } from "./rankings.ts";
import { firstGeneration } from "./scripts.ts";

/*
 * The life of a generation:
 *
 *   building   its builder holds the shard's `builder` key and loads chunks, each of which counts once. The live one goes on
 *   live       every chunk is there: one switch for each shard. The one before is taken away
 *   abandoned  its builder failed or died: the next builder takes it away
 */

/** A generation in the making. All its calls reject when Redis is away for too long. */
export interface NewGeneration extends Applied {
  /** Adds cells of one board, in any portions; each cell once. */
  add(board: string, cells: readonly (readonly [member: string, count: number])[]): Promise<void>;
  /** Marks batches of a producer as counted in: bit n, highest bit of a byte first, is sequence n. */
  mark(producer: string, bits: Buffer): Promise<void>;
  /** Waits for what was added and marked. `asOf`: when the newest batch counted in was stored. */
  loaded(asOf: number): Promise<void>;
  /** Makes it the live one. False when Redis has lost a part of it meanwhile: then it is of no use. */
  switch(): Promise<boolean>;
  /** Lets others build, and takes away what is not live. Always called at the end. */
  release(): Promise<void>;
}

// A chunk blocks Redis for 1 to 3 ms.
const cellsPerChunk = 1000;
const markBytesPerChunk = 64 * 1024;
const chunksInFlightMax = 8;
// Short: for so long nobody else builds when the builder was killed.
const holdMs = 10_000;
const holdAgainMs = 2000;

// Plain MessagePack, as the Lua of Redis reads it.
const packr = new Packr({ useRecords: false });
const noCells = packr.pack([]);

interface Shard {
  readonly key: string;
  /** Alternating: a board, its [member, score, ...]. */
  waiting: (string | (string | number)[])[];
  cells: number;
  chunks: number;
}

/** Begins a generation; undefined while another process builds one for this domain. */
export async function buildGeneration(
  redis: RankingsRedis,
  keys: readonly string[],
): Promise<NewGeneration | undefined> {
  // Never the name of an earlier one, even when Redis has forgotten them all.
  const name = `${Date.now()}${String(Math.floor(Math.random() * 1000)).padStart(3, "0")}`;
  const [first = ""] = keys;
  let heldAt = performance.now();
  if ((await redis.tallyHold(first, name, holdMs)) === 0) return undefined;
  let held = true;
  const hold = async (): Promise<boolean> => {
    const now = performance.now();
    // Another may have come and gone since it ran out.
    held &&= now - heldAt < holdMs && (await redis.tallyHold(first, name, holdMs)) === 1;
    heldAt = now;
    return held;
  };
  const holding = setInterval(() => void hold().catch(() => undefined), holdAgainMs);
  const shards = keys.map((key): Shard => ({ key, waiting: [], cells: 0, chunks: 0 }));
  const inFlight = new Set<Promise<void>>();
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

  async function flush(shard: Shard): Promise<void> {
    const { waiting } = shard;
    shard.waiting = [];
    shard.cells = 0;
    if (waiting.length > 0) await send(shard, packr.pack(waiting), []);
  }

  return {
    ...applied(redis, name, () => keys),

    async add(board, cells) {
      const shard = shards[shardOf(board, shards.length)];
      if (shard === undefined) return;
      for (let from = 0; from < cells.length; from += cellsPerChunk) {
        const part = cells.slice(from, from + cellsPerChunk);
        shard.waiting.push(
          board,
          part.flatMap(([member, count]) => [encodeMember(member), -count]),
        );
        shard.cells += part.length;
        if (shard.cells >= cellsPerChunk) await flush(shard);
      }
    },

    async mark(producer, bits) {
      for (const shard of shards) {
        for (let at = 0; at < bits.length; at += markBytesPerChunk) {
          await send(shard, noCells, [producer, at, bits.subarray(at, at + markBytesPerChunk)]);
        }
      }
    },

    async loaded(newest) {
      asOf = newest;
      for (const shard of shards) {
        await flush(shard);
        await send(shard, noCells, []); // each shard gets its age, and has a chunk that can be missed
      }
      await Promise.all(inFlight);
      if (failure !== undefined) throw failure;
    },

    async switch() {
      // One that was frozen for longer than it holds may have been overtaken.
      if (!(await hold())) return false;
      const switched = await Promise.all(shards.map((shard) => redis.tallySwitch(shard.key, name, shard.chunks)));
      return switched.every((one) => one === 1);
    },

    async release() {
      try {
        for (const key of keys) await sweep(redis, key, name, () => held);
      } finally {
        clearInterval(holding);
      }
      await redis.tallyRelease(first, name);
    },
  };
}

/** Takes away every generation of a shard that is not live and not younger than `name`. Only its builder may call it, while it holds. */
async function sweep(redis: RankingsRedis, shard: string, name: string, isHeld: () => boolean): Promise<void> {
  const live = (await redis.get(`${shard}:generation`)) ?? firstGeneration;
  for await (const keys of keysOfShard(redis, `${shard}:`)) {
    if (!isHeld()) return;
    const gone = keys.filter((key) => {
      const [generation = "", ...rest] = key.slice(shard.length + 1).split(":");
      return rest.length > 0 && generation !== live && Number(generation) <= Number(name);
    });
    if (gone.length > 0) await redis.unlink(...gone);
  }
}
