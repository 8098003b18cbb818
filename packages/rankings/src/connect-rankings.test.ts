import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connectRankings, type Rankings } from "./connect-rankings.ts";
import { encodeMoves } from "./encode-moves.ts";

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
  const twice = message({ "w:store:1": { "10": 3 }, "b:item:10": { "1": 3 } });
  expect(await rankings.isApplied("once", twice.batch)).toBe(false);
  expect(await rankings.apply("once", twice)).toBe(true);
  expect(await rankings.apply("once", twice)).toBe(false);
  expect(await rankings.isApplied("once", twice.batch)).toBe(true);
  expect((await rankings.top("once", "w:store:1", 10)).entries).toEqual([{ member: "10", count: 3 }]);
});

test("a batch applied by many at once counts once", async () => {
  const same = message({ "w:store:2": { "20": 1 } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => rankings.apply("race", same)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect((await rankings.top("race", "w:store:2", 10)).entries).toEqual([{ member: "20", count: 1 }]);
});

describe.each([
  ["small", "b:"],
  ["wide", "w:"],
])("a %s board", (_kind, prefix) => {
  test("has the highest count first, equal counts by the smaller id", async () => {
    const ids = ["100", "9", "10", "2097150", "2097151", "2097152", "4503599627370497"];
    const counts = Object.fromEntries(ids.map((id) => [id, 5]));
    await rankings.apply("ties", message({ [`${prefix}b`]: { ...counts, "95351": 7, "0": 5, "1": 1, text: 5 } }));
    const { entries } = await rankings.top("ties", `${prefix}b`, 10);
    expect(entries.map(({ member }) => member)).toEqual([
      "95351",
      "0",
      "9",
      "10",
      "100",
      "2097150",
      "2097151",
      "2097152",
      "4503599627370497",
      "text",
    ]);
    expect(entries.map(({ count }) => count)).toEqual([7, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
  });

  test("holds any ids, moved up and down in any steps, sorted by count, then id", async () => {
    let run = 0;
    const id = fc.oneof(fc.nat(20), fc.nat(3_000_000), fc.maxSafeNat()).map(String);
    const steps = fc.array(fc.dictionary(id, fc.integer({ min: -3, max: 1_000_000 })), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(steps, async (changes) => {
        const board = `${prefix}random:${run++}`;
        const sums = new Map<string, number>();
        for (const change of changes) {
          await rankings.apply("property", message({ [board]: change }));
          for (const [member, by] of Object.entries(change)) sums.set(member, (sums.get(member) ?? 0) + by);
        }
        const expected = [...sums]
          .filter(([, count]) => count !== 0)
          .map(([member, count]) => ({ member, count }))
          .toSorted((a, b) => b.count - a.count || Number(a.member) - Number(b.member));
        expect((await rankings.top("property", board, 1000)).entries).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("takes thousands of members from one batch", async () => {
    const members = Object.fromEntries(Array.from({ length: 4500 }, (_, n) => [String(n), 1 + (n % 2)]));
    await rankings.apply("many", message({ [`${prefix}b`]: members }));
    const { entries } = await rankings.top("many", `${prefix}b`, 5000);
    expect(entries).toHaveLength(4500);
    expect(entries.slice(0, 2)).toEqual([
      { member: "1", count: 2 },
      { member: "3", count: 2 },
    ]);
  });

  test("loses a member whose count falls back to nothing", async () => {
    await rankings.apply("back", message({ [`${prefix}b`]: { "1": 2, "2": 1, "0": 3 } }));
    await rankings.apply("back", message({ [`${prefix}b`]: { "1": -2, "0": -3 } }));
    expect((await rankings.top("back", `${prefix}b`, 10)).entries).toEqual([{ member: "2", count: 1 }]);
  });
});

test("the age of a board is that of its newest batch, whatever order they come in", async () => {
  expect(await rankings.top("age", "b:b", 10)).toEqual({ entries: [], asOf: undefined });
  await rankings.apply("age", message({ "b:b": { "1": 1 } }, 2000));
  await rankings.apply("age", message({ "b:b": { "1": 1 } }, 1000));
  expect((await rankings.top("age", "b:b", 10)).asOf).toBe(2000);
});

test("what cannot be read is refused before anything is marked", async () => {
  const broken = { ...message({}), shards: [Buffer.from([0xc1]), Buffer.from([0x90]), Buffer.from([0x90])] };
  await expect(rankings.apply("broken", broken)).rejects.toThrow();
  expect(await rankings.isApplied("broken", broken.batch)).toBe(false);
});
