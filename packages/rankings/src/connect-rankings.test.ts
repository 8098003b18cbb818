import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { connectRankings } from "./connect-rankings.ts";
import { encodeMoves } from "./encode-moves.ts";
import { encodeMember } from "./member.ts";
import type { Rankings } from "./rankings.ts";

const namespace = `test-${randomBytes(4).toString("hex")}`;
const silent = { info: () => undefined, warn: () => undefined };
let rankings: Rankings;
let redis: Redis;

beforeAll(() => {
  const { redisUrl: url } = inject("services");
  rankings = connectRankings({ url, namespace, shards: 3, log: silent });
  redis = new Redis(url);
});
afterAll(async () => {
  const keys = await redis.keys(`${namespace}:*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
  await rankings.close();
});

let sequence = 0;
const producer = randomBytes(8).toString("hex");
function message(moves: Record<string, Record<string, number>>, storedAt = Date.now()) {
  const boards = Object.entries(moves).map(([board, members]): [string, Map<string, number>] => [
    board,
    new Map(Object.entries(members)),
  ]);
  return { batch: { producer, sequence: sequence++ }, storedAt, shards: encodeMoves({ boards: () => boards }, 3) };
}

test("a batch that is applied twice counts once", async () => {
  const twice = message({ "store:1": { "10": 3 }, "item:10": { "1": 3 } });
  expect(await rankings.isApplied("once", twice.batch)).toBe(false);
  expect(await rankings.apply("once", twice)).toBe(true);
  expect(await rankings.apply("once", twice)).toBe(false);
  expect(await rankings.isApplied("once", twice.batch)).toBe(true);
  expect((await rankings.top("once", "store:1", 10)).entries).toEqual([{ member: "10", count: 3 }]);
});

test("a batch applied by many at once counts once", async () => {
  const same = message({ "store:2": { "20": 1 } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => rankings.apply("race", same)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect((await rankings.top("race", "store:2", 10)).entries).toEqual([{ member: "20", count: 1 }]);
});

test("the highest count comes first, equal counts by the smaller id", async () => {
  await rankings.apply(
    "ties",
    message({ b: { "100": 5, "9": 5, "10": 5, "95351": 7, "0": 1, "4503599627370497": 5 } }),
  );
  const { entries } = await rankings.top("ties", "b", 5);
  expect(entries.map(({ member }) => member)).toEqual(["95351", "9", "10", "100", "4503599627370497"]);
  expect(await rankings.count("ties", "b", "95351")).toBe(7);
  expect(await rankings.count("ties", "b", "95352")).toBe(0);
  expect(await rankings.count("ties", "none", "9")).toBe(0);
});

test("any ids in any order come out sorted by count, then id", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.maxSafeNat().map(String), fc.integer({ min: 1, max: 3 }), { minKeys: 1 }),
      async (counts) => {
        const board = `random:${run++}`;
        await rankings.apply("property", message({ [board]: counts }));
        const expected = Object.entries(counts)
          .map(([member, count]) => ({ member, count }))
          .toSorted((a, b) => b.count - a.count || Number(a.member) - Number(b.member));
        expect((await rankings.top("property", board, 100)).entries).toEqual(expected);
      },
    ),
    { numRuns: 50 },
  );
});

// Flat, steep, and falling again, so that members cross the floor in both directions and the sorted set is cut and filled.
test.each([
  { board: "equal counts", members: 3000, steps: 1, falling: 0 },
  { board: "unequal counts", members: 1500, steps: 50, falling: 0.3 },
  { board: "falling counts", members: 1500, steps: 5, falling: 0.45 },
  { board: "texts", members: 1500, steps: 3, falling: 0.4 },
])("a large board tells its best and all its cells: $board", async ({ board, members, steps, falling }) => {
  let state = 7;
  const below = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const idOf = (n: number) => (board === "texts" ? `é${n.toString(36)}Z` : String(n * 7919));
  const counts = new Map<string, number>();
  for (let batch = 0; batch < 150; batch++) {
    const changes: Record<string, number> = {};
    for (let i = 0; i < 60; i++) {
      const member = idOf(below(members));
      const count = counts.get(member) ?? 0;
      // Some leave altogether.
      const by = below(1000) < falling * 1000 ? -Math.min(count, 1 + below(2 * steps)) : 1 + below(steps);
      if (by === 0 || member in changes) continue;
      changes[member] = by;
      if (count + by === 0) counts.delete(member);
      else counts.set(member, count + by);
    }
    await rankings.apply("large", message({ [board]: changes }));
    if (batch % 5 !== 0) continue;
    const { entries } = await rankings.top("large", board, 100);
    expect(entries).toEqual(bestOf(counts));
    // One among the best, one behind the floor, and one that is not there.
    for (const member of [byRank(counts)[0]?.[0] ?? "", byRank(counts).at(-1)?.[0] ?? "", "nobody"])
      expect(await rankings.count("large", board, member)).toBe(counts.get(member) ?? 0);
  }
  const change = async (by: 1 | -1, cells: Iterable<readonly [string, number]>): Promise<void> => {
    const moved = [...cells];
    for (const [member, count] of moved) {
      if (by < 0) counts.delete(member);
      else counts.set(member, count);
    }
    await rankings.apply(
      "large",
      message({ [board]: Object.fromEntries(moved.map(([id, count]) => [id, by * count])) }),
    );
    expect((await rankings.top("large", board, 100)).entries).toEqual(bestOf(counts));
  };
  // The best fall one by one, so that those behind the floor come up.
  for (const { member, count } of bestOf(counts)) await change(-1, [[member, count]]);
  // Down to a handful, and up again, the last first.
  const gone = byRank(counts).slice(5);
  await change(-1, gone);
  const last = gone.pop();
  await change(1, last === undefined ? [] : [last]);
  await change(1, gone);
  const [cells] = await rankings.cells("large", [board]);
  expect(new Map(cells)).toEqual(counts);
});

test("a member whose count falls back to nothing leaves its board", async () => {
  await rankings.apply("back", message({ b: { "1": 2, "2": 1 } }));
  await rankings.apply("back", message({ b: { "1": -2 } }));
  expect((await rankings.top("back", "b", 10)).entries).toEqual([{ member: "2", count: 1 }]);
});

test("the age of a board is that of its newest batch, whatever order they come in", async () => {
  expect(await rankings.top("age", "b", 10)).toEqual({ entries: [], asOf: undefined });
  await rankings.apply("age", message({ b: { "1": 1 } }, 2000));
  await rankings.apply("age", message({ b: { "1": 1 } }, 1000));
  expect((await rankings.top("age", "b", 10)).asOf).toBe(2000);
});

test("what cannot be read is refused before anything is marked", async () => {
  const broken = { ...message({}), shards: [Buffer.from([0xc1]), Buffer.from([0x90]), Buffer.from([0x90])] };
  await expect(rankings.apply("broken", broken)).rejects.toThrow();
  expect(await rankings.isApplied("broken", broken.batch)).toBe(false);
});

function byRank(counts: ReadonlyMap<string, number>) {
  return [...counts].toSorted(([a, x], [b, y]) => y - x || Buffer.compare(place(a), place(b)));
}

function bestOf(counts: ReadonlyMap<string, number>) {
  return byRank(counts)
    .slice(0, 100)
    .map(([member, count]) => ({ member, count }));
}

const place = (member: string): Buffer => Buffer.from(encodeMember(member));
