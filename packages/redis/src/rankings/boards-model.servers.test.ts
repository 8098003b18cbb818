import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { Moves } from "@tally/contract";
import { encodeMoves } from "./encode-moves.ts";
import { encodeMember } from "./member.ts";
import { ownRankings } from "./own-rankings.test-kit.ts";
import type { Rankings } from "./rankings.ts";
import { apply, shardKey } from "./scripts.ts";

/*
 * The same random moves on boards in Redis and on a Map, in phases that grow, churn, fall and empty; and mirrored counts, which only grow.
 * After each step all scores and the first hundred of each board equal those of the Map. Clients are killed between calls, batches arrive twice, several arrive at once, Redis loses its hash order,
 * and new generations are built meanwhile.
 */

const seeds = Array.from({ length: 8 }, (_, seed) => seed);

const sales = { prefix: "item:", mirrorPrefix: "store:" };
const domainOf = (seed: number) => `model-${seed}`;
const { namespace, rankings, redis, connect, build } = ownRankings(
  1,
  seeds.map((seed) => ({
    name: domainOf(seed),
    recount: { boards: [{ mirrored: sales, cells: "", mirrorCells: "" }] },
  })),
);
const appliers = [rankings, connect()] as const;

type Counts = Map<string, number>;
type Message = Parameters<Rankings["apply"]>[1];

const boards = ["numbers", "texts"] as const;
const stores = ["7", "12", "a store"] as const;
const phases = [
  { name: "grow", many: 400, leave: 0, fall: 0 },
  { name: "rise", many: 60, leave: 0, fall: 0 },
  { name: "churn", many: 60, leave: 0.2, fall: 0.3 },
  { name: "fall", many: 120, leave: 0.3, fall: 0.6 },
  { name: "empty", many: 1500, leave: 0.95, fall: 0 },
] as const;

test.each(seeds)(
  "boards equal a map of the same moves, with rebuilds, restarts and redeliveries between them: seed %i",
  { timeout: 300_000 },
  async (seed) => {
    const chance = chances(seed);
    const domain = domainOf(seed);
    const shard = shardKey(namespace, domain, 0);
    const producer = randomBytes(8).toString("hex");
    const model = new Map<string, Counts>(boards.map((board) => [board, new Map()]));
    const sent: Message[] = [];
    const size = 700 + chance.below(2500);
    const idOf = (board: string, n: number) => (board === "numbers" ? String(n * 7919) : `é${n.toString(36)} Z\n`);
    const sold = new Map<string, Counts>(stores.map((store) => [store, new Map()]));

    /** A batch of some boards, and the same in the map. */
    function batch({ many, leave, fall }: (typeof phases)[number]): Message {
      const moves = new Moves();
      for (const board of boards) {
        if (chance.of(0.3)) continue;
        const counts = model.get(board) ?? new Map();
        const changes: Counts = new Map();
        // The first members move as often as all others together.
        const best = chance.of(0.5) ? bestOf(counts).map(([id]) => id) : [];
        for (let n = chance.below(many); n >= 0; n--) {
          const id = best[chance.below(2 * best.length)] ?? idOf(board, chance.below(size));
          const count = counts.get(id) ?? 0;
          const by = chance.of(leave)
            ? -count
            : (chance.of(fall) ? -1 : 1) * (1 + chance.below(chance.of(0.1) ? 60 : 3));
          if (by === 0 || changes.has(id)) continue;
          changes.set(id, by);
          if (count + by === 0) counts.delete(id);
          else counts.set(id, count + by);
          moves.add(board, id, by);
        }
      }
      for (const [store, counts] of sold) {
        const best = chance.of(0.5) ? bestOf(counts).map(([item]) => item) : [];
        for (let n = chance.below(many); n > 0; n--) {
          const item = best[chance.below(3 * best.length)] ?? idOf("numbers", chance.below(size));
          const by = 1 + chance.below(chance.of(0.1) ? 60 : 2);
          counts.set(item, (counts.get(item) ?? 0) + by);
          moves.addMirrored(sales, item, store, by);
        }
      }
      const message = {
        batch: { producer, sequence: sent.length },
        storedAt: 1000 + sent.length,
        ...encodeMoves(moves, 1),
      };
      sent.push(message);
      return message;
    }

    /** One call of the script. `apply` would loop; here its process is killed after the call. */
    const applyAndDie = ({ batch: { sequence }, storedAt, shards: [moves = Buffer.alloc(0)] }: Message) =>
      redis.eval(apply, 1, shard, "", producer, sequence, storedAt, moves);
    const applyAll = async (message: Message, again = false) =>
      expect(await appliers[chance.below(2) === 0 ? 0 : 1].apply(domain, message)).toBe(!again);
    const prefixNow = async () => `${shard}:${(await redis.get(`${shard}:generation`)) ?? "1"}`;
    const floorsNow = async () => redis.hgetall(`${await prefixNow()}:floors`);

    async function rebuild(phase: (typeof phases)[number]): Promise<void> {
      const generation = await build(domain);
      for (const [board, counts] of model) if (counts.size > 0) await generation.add(board, [...counts]);
      for (const [store, counts] of sold) await generation.addMirrored(sales, store, [...counts]);
      const bits = Buffer.alloc(Math.ceil(sent.length / 8));
      for (const { batch: own } of sent)
        bits[own.sequence >> 3] = (bits[own.sequence >> 3] ?? 0) | (128 >> (own.sequence & 7));
      await generation.mark(producer, bits);
      await generation.loaded(1);
      // Traffic continues; batches after the snapshot are applied to both generations, to the second perhaps when it is live.
      const behind = batch(phase);
      const first = applyAndDie(behind);
      if (chance.of(0.5)) await generation.apply(domain, behind);
      await first;
      expect(await generation.switch()).toBe(true);
      await generation.release();
      await appliers[1].apply(domain, behind);
    }

    const seen = new Set<string>();
    async function check(): Promise<void> {
      const floors = await floorsNow();
      const prefix = await prefixNow();
      const cells = await appliers[0].cells(domain, boards);
      for (const [index, board] of boards.entries()) {
        const counts = model.get(board) ?? new Map();
        expect(cells[index]?.cells).toEqual(counts);
        const [way] = floors[board]?.split(" ") ?? [];
        const state = way === undefined ? "small" : way === "back" || way === "all" ? way : "large";
        seen.add(state);
        const top = await appliers[0].top(domain, board, 100);
        const entries = top.entries.map(({ member, count }) => [member, count] as const);
        if (state === "back")
          expect(entries).toEqual(bestOf(new Map(entries.map(([id]) => [id, counts.get(id) ?? 0]))));
        else expect(entries).toEqual(bestOf(counts));
        expect(await redis.exists(`${prefix}:c:${board}`)).toBe(state !== "all" && counts.size > 0 ? 1 : 0);
        if (state === "small" || state === "all") expect(await redis.zcard(`${prefix}:b:${board}`)).toBe(counts.size);
        for (const id of [idOf(board, chance.below(size)), entries[0]?.[0] ?? "", "absent"])
          expect(await appliers[1].count(domain, board, id)).toBe(counts.get(id) ?? 0);
      }
      await checkMirrored();
    }

    async function checkMirrored(): Promise<void> {
      const prefix = await prefixNow();
      for (const [store, counts] of sold) {
        const board = sales.mirrorPrefix + store;
        const top = await appliers[1].top(domain, board, 100);
        expect(top.entries.map(({ member, count }) => [member, count])).toEqual(bestOf(counts));
        const [kept] = await appliers[0].cells(domain, [board]);
        expect(kept?.cells).toEqual(new Map([...counts].filter(([item, count]) => kept?.keeps(item, count) === true)));
        expect(kept?.cells.size).toBeLessThanOrEqual(112);
        if (counts.size > 0) expect(await redis.object("ENCODING", `${prefix}:b:${board}`)).toBe("listpack");
        const item = idOf("numbers", chance.below(size));
        expect(await appliers[0].count(domain, board, item)).toBe(counts.get(item) ?? 0);
        expect(await appliers[1].count(domain, sales.prefix + item, store)).toBe(counts.get(item) ?? 0);
      }
    }

    let phase = phases[0] as (typeof phases)[number];
    for (let step = 0; step < 60; step++) {
      if (step > 8 && chance.of(0.2)) phase = phases[chance.below(phases.length)] ?? phase;
      const what = chance.below(10);
      if (what < 4) await applyAll(batch(phase));
      else if (what < 7) await applyAndDie(batch(phase));
      else if (what < 8) {
        const together = [batch(phase), batch(phase), batch(phase)];
        await Promise.all(together.map((message) => applyAll(message)));
      } else if (what < 9) {
        const again = sent[chance.below(sent.length)];
        if (again !== undefined) await (chance.of(0.5) ? applyAndDie(again) : applyAll(again, true));
      } else if (chance.of(0.6)) await rebuild(phase);
      // Redis restarts: the cursor points into another order, so it can be any.
      for (const [board, floor] of Object.entries(await floorsNow()))
        if (floor.startsWith("back ") && chance.of(0.3))
          await redis.hset(`${await prefixNow()}:floors`, board, `back ${chance.below(4096)}`);
      await check();
    }
    // The batches of killed consumers are delivered again.
    for (const message of sent) await applyAll(message, true);
    expect(Object.values(await floorsNow()).filter((floor) => floor.startsWith("back "))).toEqual([]);
    await check();
    expect(seen).toContain("large");
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

function bestOf(counts: Counts): (readonly [string, number])[] {
  const places = [...counts].map(([id, count]) => ({ id, count, place: Buffer.from(encodeMember(id)) }));
  places.sort((a, b) => b.count - a.count || Buffer.compare(a.place, b.place));
  return places.slice(0, 100).map(({ id, count }) => [id, count] as const);
}
