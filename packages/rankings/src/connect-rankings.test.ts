import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { connectRankings } from "./connect-rankings.ts";
import { encodeMoves } from "./encode-moves.ts";
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
        expect((await rankings.top("property", board, 1000)).entries).toEqual(expected);
      },
    ),
    { numRuns: 50 },
  );
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
