import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { boardsOfSeries, chainBoards, joinBoards, Moves } from "@tally/contract";
import { boardCells } from "./board-reads.ts";
import { encodeMember, encodeMoves, packr } from "./encode-moves.ts";
import { shardKey } from "./live-shards.ts";
import { ownRankings } from "./own-rankings.test-kit.ts";
import { readScript } from "./scripts.ts";

/*
 * Calls each script as its header says, and compares its replies with a model: the same random moves on Maps, in phases
 * that grow, churn, fall and empty. After each step all scores and the first hundred of each board equal those of the
 * Maps, or the reply says that some are missing, which only boards of mirrored counts may do. Callers are killed between two calls, batches arrive twice, several
 * arrive at once, Redis loses its hash order, and new generations are built meanwhile.
 */

const { namespace, redis } = ownRankings(1);
const producer = randomBytes(8).toString("hex");
const allTime = { prefix: "item:", mirrorPrefix: "store:" };
// Of a day: these have boards of the chain.
const sales = boardsOfSeries(allTime, "20261126");
const kinds = [allTime, sales];
const joined = [joinBoards(kinds)];
const boards = ["numbers", "texts"] as const;
const stores = ["7", "12", "a store"] as const;
const phases = [
  { many: 400, leave: 0, fall: 0 },
  { many: 60, leave: 0, fall: 0 },
  { many: 60, leave: 0.2, fall: 0.3 },
  { many: 120, leave: 0.3, fall: 0.6 },
  { many: 1500, leave: 0.95, fall: 0 },
] as const;
type Phase = (typeof phases)[number];
type Counts = Map<string, number>;

interface Batch {
  readonly sequence: number;
  readonly storedAt: number;
  readonly moves: Buffer;
}

/** What the boards must hold. */
class Model {
  readonly chance: ReturnType<typeof chances>;
  readonly size: number;
  readonly counts = new Map<string, Counts>(boards.map((board) => [board, new Map()]));
  readonly sold = new Map<string, Counts>(stores.map((store) => [store, new Map()]));
  readonly sent: Batch[] = [];
  /** Sequences since the last noted epoch. */
  readonly recent = new Set<number>();
  noted = 0;

  constructor(seed: number) {
    this.chance = chances(seed);
    this.size = 700 + this.chance.below(2500);
  }

  anyId(board: string): string {
    const n = this.chance.below(this.size);
    return board === "texts" ? `é${n.toString(36)} Z\n` : String(n * 7919);
  }

  /** A random batch, which the model has from now on. */
  batch(phase: Phase): Batch {
    const { chance } = this;
    const moves = new Moves();
    const moved = this.sent.length % 4 === 0 ? kinds : joined;
    for (const board of boards) if (!chance.of(0.3)) this.#moveBoard(moves, board, phase);
    for (const [store, counts] of this.sold) {
      const best = this.#someBest(counts);
      for (let n = chance.below(phase.many); n > 0; n--) {
        const item = best[chance.below(3 * best.length)] ?? this.anyId("numbers");
        const count = counts.get(item) ?? 0;
        const step = 1 + chance.below(chance.of(0.1) ? 60 : 2);
        const by = chance.of(phase.leave) ? -count : chance.of(phase.fall) ? -step : step;
        if (count + by === 0) counts.delete(item);
        else counts.set(item, count + by);
        for (const kind of moved) moves.addMirrored(kind, item, store, by);
      }
    }
    const sequence = this.sent.length;
    const batch = { sequence, storedAt: 1000 + sequence, moves: encodeMoves(moves, 1).shards[0] ?? Buffer.alloc(0) };
    this.sent.push(batch);
    this.recent.add(sequence);
    return batch;
  }

  /** All cells as moves from nothing, and as places of mirrored boards; none in two chunks. */
  chunks(): readonly Buffer[] {
    const portions = [...this.counts].flatMap(([name, counts]) =>
      Array.from({ length: Math.ceil(counts.size / 700) }, (_, n) => {
        const moves = new Moves();
        for (const [id, count] of [...counts].slice(700 * n, 700 * n + 700)) moves.add(name, id, count);
        return moves;
      }),
    );
    const sold = [...this.sold].flatMap(([store, counts]) =>
      kinds.map(({ prefix, mirrorPrefix }) => {
        const places: unknown[] = [...counts].flatMap(([item, count]) => [
          prefix + item,
          [-count, encodeMember(store)],
          false,
        ]);
        const best = bestOf(counts, 120).flatMap((id) => [-(counts.get(id) ?? 0), encodeMember(id)]);
        if (best.length > 0) places.push(mirrorPrefix + store, best, true);
        return packr.pack([[], [], [prefix, mirrorPrefix, places]]);
      }),
    );
    return [...portions.flatMap((moves) => encodeMoves(moves, 1).shards), ...sold];
  }

  #moveBoard(moves: Moves, board: string, { many, leave, fall }: Phase): void {
    const counts = this.counts.get(board) ?? new Map<string, number>();
    const moved = new Set<string>();
    const best = this.#someBest(counts);
    for (let n = this.chance.below(many); n >= 0; n--) {
      const id = best[this.chance.below(2 * best.length)] ?? this.anyId(board);
      const count = counts.get(id) ?? 0;
      const step = 1 + this.chance.below(this.chance.of(0.1) ? 60 : 3);
      const by = this.chance.of(leave) ? -count : this.chance.of(fall) ? -step : step;
      if (by === 0 || moved.has(id)) continue;
      moved.add(id);
      if (count + by === 0) counts.delete(id);
      else counts.set(id, count + by);
      moves.add(board, id, by);
    }
  }

  /** The first members, for a batch in which they move as often as all others together. */
  #someBest(counts: Counts): readonly string[] {
    return this.chance.of(0.5) ? bestOf(counts) : [];
  }
}

/** The scripts on the shard of a domain. */
function shardOf(domain: string) {
  const key = shardKey(namespace, domain, 0);
  const call = (script: string, ...args: readonly (string | number | Buffer)[]): Promise<unknown> =>
    redis.eval(readScript(script), 1, key, ...args);
  const rank = (generation: string, { sequence, storedAt, moves }: Batch) =>
    call("rank", generation, producer, sequence, storedAt, moves, 1);
  return {
    call,
    rank,
    score: (board: string, id: string) => call("score", "", board, encodeMember(id)).catch(String),
    /** Calls until nothing is left. */
    rankAll: async (batch: Batch, isNew: 0 | 1): Promise<void> => {
      let reply = await rank("", batch);
      expect(reply).toEqual([isNew, expect.any(Number)]);
      while (Array.isArray(reply) && reply[1] === 1) reply = await rank("", batch);
    },
    prefix: async () => `${key}:${(await redis.get(`${key}:generation`)) ?? "1"}`,
  };
}
type Shard = ReturnType<typeof shardOf>;

/** Builds a generation from the model, while batches are ranked. */
async function rebuild(shard: Shard, model: Model, phase: Phase): Promise<void> {
  const name = `${Date.now()}${model.sent.length}x1`;
  const { call, rank } = shard;
  expect(await call("hold", name, 60_000)).toBe(1);
  expect([await call("hold", "another", 60_000), await call("hold", name, 60_000)]).toEqual([0, 1]);
  const bits = Buffer.alloc(Math.ceil(model.sent.length / 8));
  for (const { sequence } of model.sent)
    bits.writeUInt8(bits.readUInt8(sequence >> 3) | (128 >> (sequence & 7)), sequence >> 3);
  const asOf = model.sent.at(-1)?.storedAt ?? 0;
  const chunks = [...model.chunks(), encodeMoves(new Moves(), 1).shards[0] ?? Buffer.alloc(0)];
  for (const [n, cells] of chunks.entries()) {
    expect(await call("switch", name, chunks.length, "switch")).toBe(0);
    // A cluster may run them in another order: only the last ones that were sent have the time.
    expect(await call("load", name, n, cells, n === 0 ? asOf : 0, ...(n === 0 ? [producer, 0, bits] : []))).toBe(1);
    if (model.chance.of(0.3)) expect(await call("load", name, n, cells, asOf)).toBe(0);
  }
  expect(Number([await call("top", name, "", 1)].flat()[0])).toBe(asOf);
  // A batch after the snapshot is ranked in both generations, in the second perhaps when it is live.
  const behind = model.batch(phase);
  await rank("", behind);
  if (model.chance.of(0.5)) expect(await rank(name, behind)).toEqual([1, expect.any(Number)]);
  const isLive = async () => (await shard.prefix()).endsWith(name);
  expect([await call("switch", name, chunks.length, "check"), await isLive()]).toEqual([1, false]);
  expect([await call("switch", name, chunks.length, "switch"), await isLive()]).toEqual([1, true]);
  await rank("", behind);
  expect([await call("release", "another"), await call("hold", "another", 60_000)]).toEqual([1, 0]);
  expect([await call("release", name), await call("hold", "another", 60_000)]).toEqual([1, 1]);
  expect(await call("release", "another")).toBe(1);
  model.recent.clear();
  model.recent.add(behind.sequence);
  model.noted = 0;
}

/** Notes an epoch and some recent batches; then an earlier one, which changes nothing. */
async function noteEpoch({ call }: Shard, model: Model): Promise<void> {
  const found = [...model.recent].filter(() => model.chance.of(0.7));
  const batches = found.map((sequence) => `${producer}:${sequence}`);
  model.noted += 1 + model.chance.below(3);
  expect(await call("note-epoch", "", model.noted, "token", ...batches)).toBe(1);
  for (const sequence of found) model.recent.delete(sequence);
  const others = Array.from(model.recent, (sequence) => `${producer}:${sequence}`);
  expect(await call("note-epoch", "", model.noted, "another", ...others)).toBe(0);
}

const isUnbuilt = (prefix: string): 0 | 2 => (prefix.endsWith(":1") ? 2 : 0);
const scoreIn = (prefix: string, count: number | undefined) => {
  if (isUnbuilt(prefix) === 2) return "ReplyError: UNBUILT no whole generation";
  return count === undefined ? null : String(-count);
};

async function check(shard: Shard, model: Model): Promise<ReadonlySet<string>> {
  const { call, score, prefix } = shard;
  const seen = new Set<string>();
  const now = await prefix();
  const floors = await redis.hgetall(`${now}:floors`);
  const asOf = model.sent.at(-1)?.storedAt;
  expect(await redis.get(`${now}:dirty`)).toBeNull();
  const [noted, next, ...recent] = [await call("in-ledger", "", "0")].flat(2);
  expect([noted, next]).toEqual([model.noted === 0 ? "" : `${model.noted} token`, "0"]);
  expect(new Set(recent)).toEqual(new Set(Array.from(model.recent, (sequence) => `${producer}:${sequence}`)));
  expect(await call("unmarked", "", producer, ...model.sent.keys(), 999)).toEqual(["999"]);
  for (const [board, counts] of model.counts) {
    expect((await boardCells(redis, [now], { board }, [])).cells).toEqual(counts);
    const members = [model.anyId(board), bestOf(counts)[0] ?? "", "absent"];
    const { cells } = await boardCells(redis, [now], { board, members }, []);
    expect(cells).toEqual(new Map([...counts].filter(([member]) => members.includes(member))));
    const [way] = floors[board]?.split(" ") ?? [];
    const state = way === undefined ? "small" : way === "back" || way === "all" ? way : "large";
    seen.add(state);
    if (state !== "back")
      expect(await call("top", "", board, 100)).toEqual([String(asOf), topOf(counts), isUnbuilt(now), null]);
    expect(await redis.exists(`${now}:c:${board}`)).toBe(state !== "all" && counts.size > 0 ? 1 : 0);
    if (state === "small" || state === "all") expect(await redis.zcard(`${now}:b:${board}`)).toBe(counts.size);
    for (const id of members) expect(await score(board, id)).toBe(scoreIn(now, counts.get(id)));
  }
  for (const state of await checkSold(shard, model)) seen.add(state);
  seen.add(await checkChain(shard, model));
  return seen;
}

/** The sorted set of a store has exactly what is at or before its floor, and is cut short enough to stay packed. */
async function checkSold({ call, score, prefix }: Shard, model: Model): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const now = await prefix();
  const floors = await redis.hgetall(`${now}:floors`);
  const asOf = String(model.sent.at(-1)?.storedAt);
  const all = kinds.flatMap((kind) => Array.from(model.sold, (sold) => [kind, ...sold] as const));
  for (const [{ prefix: itemPrefix, mirrorPrefix }, store, counts] of all) {
    const board = mirrorPrefix + store;
    const { cells, alsoStored, ...kept } = await boardCells(redis, [now], { board }, [allTime]);
    expect(cells).toEqual(new Map([...counts].filter(([item, count]) => kept.keeps(item, count))));
    const isShort = floors[board] !== undefined && cells.size < 100;
    seen.add(isShort ? "short" : "exact");
    const best = topOf(isShort ? cells : counts);
    expect(await call("top", "", board, 100)).toEqual([asOf, best, isUnbuilt(now) || Number(isShort), null]);
    expect([alsoStored.size, cells.size > 112]).toEqual([0, false]);
    if (cells.size > 0) expect(await redis.object("ENCODING", `${now}:b:${board}`)).toBe("listpack");
    const item = model.anyId("numbers");
    expect(await score(itemPrefix + item, store)).toBe(scoreIn(now, counts.get(item)));
  }
  return seen;
}

/** The boards of the chain have the sums of what was sold, that of items also its first ones in order. */
async function checkChain({ call, prefix }: Shard, { sold, sent }: Model): Promise<string> {
  const [now, items, ofStores] = [await prefix(), new Map<string, number>(), new Map<string, number>()];
  for (const [store, counts] of sold) {
    for (const [item, count] of counts) {
      items.set(item, (items.get(item) ?? 0) + count);
      ofStores.set(store, (ofStores.get(store) ?? 0) + count);
    }
  }
  const { keys, members } = chainBoards(sales) ?? expect.fail();
  for (const [board, sums] of [[keys, items] as const, [members, ofStores] as const]) {
    for (const [id, sum] of sums) if (sum === 0) sums.delete(id);
    const { cells, alsoStored } = await boardCells(redis, [now], { board }, [allTime]);
    expect([cells, alsoStored.size]).toEqual([sums, 0]);
  }
  const size = await redis.zcard(`${now}:b:${keys}`);
  const isShort = size < 100 && (await redis.hexists(`${now}:floors`, keys)) === 1;
  const best = topOf(items).slice(0, isShort ? 2 * size : 200);
  const asOf = String(sent.at(-1)?.storedAt);
  expect(await call("top", "", keys, 100)).toEqual([asOf, best, isUnbuilt(now) || Number(isShort), null]);
  return isShort ? "short chain" : "exact chain";
}

test.each([0, 3, 4, 5, 6, 7, 8, 9])(
  "the replies of all scripts are those of a model: seed %i",
  { timeout: 300_000 },
  async (seed) => {
    const model = new Model(seed);
    const { chance, sent } = model;
    const shard = shardOf(`model-${seed}`);
    const { rank, rankAll, prefix } = shard;
    const seen = new Set<string>();
    let phase: Phase = phases[0];
    for (let step = 0; step < 60; step++) {
      if (step > 8 && chance.of(0.2)) phase = phases[chance.below(phases.length)] ?? phase;
      const what = chance.below(10);
      const again = sent[chance.below(sent.length)];
      if (what < 4) await rankAll(model.batch(phase), 1);
      else if (what < 7) await rank("", model.batch(phase)); // its caller is killed after the first call
      else if (what < 8) await Promise.all(Array.from({ length: 3 }, () => rankAll(model.batch(phase), 1)));
      else if (what < 9) await (again && (chance.of(0.5) ? rank("", again) : rankAll(again, 0)));
      else if (chance.of(0.6)) await rebuild(shard, model, phase);
      else await noteEpoch(shard, model);
      // Redis restarts: the cursor points into another order, so it can be any.
      const floors = `${await prefix()}:floors`;
      for (const [board, floor] of Object.entries(await redis.hgetall(floors)))
        if (floor.startsWith("back ") && chance.of(0.3)) await redis.hset(floors, board, `back ${chance.below(4096)}`);
      for (const state of await check(shard, model)) seen.add(state);
    }
    // The batches of killed callers are delivered again.
    for (const batch of sent) await rankAll(batch, 0);
    const last = Object.values(await redis.hgetall(`${await prefix()}:floors`));
    expect(last.filter((floor) => floor.startsWith("back "))).toEqual([]);
    await check(shard, model);
    for (const state of ["large", "exact", "short", "exact chain", "short chain"]) expect(seen).toContain(state);
  },
);

function chances(seed: number) {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (n: number) => Math.floor(next() * n), of: (share: number) => next() < share };
}

/** The ids with the highest counts. */
function bestOf(counts: ReadonlyMap<string, number>, most = 100): readonly string[] {
  const places = [...counts].map(([id, count]) => ({ id, count, place: Buffer.from(encodeMember(id)) }));
  places.sort((a, b) => b.count - a.count || Buffer.compare(a.place, b.place));
  return places.slice(0, most).map(({ id }) => id);
}

/** The same as `top` replies. */
function topOf(counts: ReadonlyMap<string, number>): readonly string[] {
  return bestOf(counts).flatMap((id) => [encodeMember(id), String(-(counts.get(id) ?? 0))]);
}
