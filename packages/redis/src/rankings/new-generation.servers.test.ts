import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { encodeMoves } from "./encode-moves.ts";
import { goLive, movesOf, ownRankings } from "./own-rankings.test-kit.ts";

const shards = 2;
const mirrored = { prefix: "item:", mirrorPrefix: "store:" };
const sales = { name: "sales", recount: { boards: [{ mirrored, seriesOf: () => [], rows: [], rowsOfBatches: [] }] } };
const { namespace, rankings, redis, build: begin } = ownRankings(shards, [sales]);

const producer = randomBytes(8).toString("hex");
const batchOf = (sequence: number, board: string, count: number) => ({
  batch: { producer, sequence },
  storedAt: 1000 + sequence,
  ...encodeMoves(movesOf({ [board]: { 1: count } }), shards),
});
const keysOf = (domain: string) => redis.keys(`${namespace}:{${domain}:*`);
const entriesOf = async (domain: string, board: string) => (await rankings.top(domain, board, 100)).entries;

test("a new generation is visible from its switch on, with marks and as-of time; the old one is deleted", async () => {
  await rankings.rank("built", batchOf(0, "old", 2));
  const generation = await begin("built");
  await generation.add("new", [["7", 5]]);
  await generation.mark(producer, Buffer.from([0b1010_0000]));
  await generation.loaded(5000);
  // Traffic continues meanwhile.
  await rankings.rank("built", batchOf(4, "old", 1));
  const before = await rankings.cells("built", [{ board: "old" }, { board: "new" }]);
  expect(before.map(({ cells }) => cells)).toEqual([new Map([["1", 3]]), new Map()]);

  expect(await generation.switch()).toBe(true);
  await generation.release();
  expect(await rankings.state("built")).toEqual({ name: "whole" });
  expect(await rankings.top("built", "new", 10)).toMatchObject({ entries: [{ member: "7", count: 5 }], asOf: 5000 });
  expect(await entriesOf("built", "old")).toEqual([]);
  const batches = [0, 1, 2, 3, 4].map((sequence) => ({ producer, sequence }));
  expect(await rankings.unmarked("built", batches)).toEqual([1, 3, 4].map((sequence) => ({ producer, sequence })));
  expect((await keysOf("built")).filter((key) => key.includes("}:1:"))).toEqual([]);
});

test("large boards and many marks are loaded completely, in any chunks", async () => {
  const cells = Array.from({ length: 5000 }, (_, n): [string, number] => [String(n), n + 1]);
  const generation = await begin("large");
  for (const board of ["x", "y"]) await generation.add(board, cells);
  const bits = Buffer.alloc(200_000, 0xff);
  await generation.mark(producer, bits);
  await goLive(generation);
  for (const board of ["x", "y"]) {
    const [found] = await rankings.cells("large", [{ board }]);
    expect(found?.cells).toEqual(new Map(cells));
  }
  for await (const marks of rankings.marks("large")) expect(marks.get(producer)?.equals(bits)).toBe(true);
});

test("mirrored counts are loaded as moves would count them: the best of a member, all of a key", async () => {
  const generation = await begin(sales.name);
  const countOf = (store: number, item: number) => 1 + ((store + item) % 150);
  const boardsOf = (prefix: string, boards: number, members: number, count: typeof countOf) =>
    Array.from({ length: boards }, (_, n) => ({
      board: `${prefix}${n}`,
      cells: Array.from({ length: members }, (__, m): [string, number] => [String(m), count(n, m)]),
    }));
  const items = boardsOf("item:", 700, 1100, (item, store) => countOf(store, item));
  await generation.addMirrored(mirrored, {
    byKey: () => items,
    byMember: (prefix) => boardsOf(prefix, 1100, 700, countOf),
  });
  await goLive(generation);
  for (const { board, cells } of items.slice(-2)) {
    const [found] = await rankings.cells(sales.name, [{ board }]);
    expect(found?.cells).toEqual(new Map(cells));
  }
  const others = items.map(({ board, cells }, n) => ({ board, cells: n === 7 ? cells.slice(1) : cells }));
  const equal = await rankings.equal(sales.name, others);
  expect([equal.size, equal.has("item:7")]).toEqual([699, false]);
  for (const { board, cells } of boardsOf("store:", 2, 700, countOf)) {
    const [found] = await rankings.cells(sales.name, [{ board }]);
    expect(found?.cells).toEqual(new Map(cells.filter(([item, count]) => found?.keeps(item, count))));
    expect([found?.cells.size, found?.alsoStored.size]).toEqual([104 * shards, 0]);
    const best = cells.toSorted(([a, x], [b, y]) => y - x || Number(a) - Number(b)).slice(0, 100);
    const { entries, isExact } = await rankings.top(sales.name, board, 100);
    expect({ entries, isExact }).toEqual({
      entries: best.map(([member, count]) => ({ member, count })),
      isExact: true,
    });
  }
});

test("a board may be added in any portions, also when it becomes large between two of one chunk", async () => {
  const cells = Array.from({ length: 950 }, (_, n): [string, number] => [String(n), 1 + (n % 7)]);
  const generation = await begin("portions");
  await generation.add("b", cells.slice(0, 600));
  await generation.add("b", cells.slice(600, 700));
  await generation.add("b", cells.slice(700, 710));
  await generation.add("b", cells.slice(710));
  await goLive(generation);
  const [found] = await rankings.cells("portions", [{ board: "b" }]);
  expect(found?.cells).toEqual(new Map(cells));
  const sevens = cells.filter(([, count]) => count === 7).map(([member]) => member);
  const entries = await entriesOf("portions", "b");
  expect(entries.map(({ member }) => member)).toEqual(sevens.slice(0, 100));
});

test.each([0, 3_600_000])(
  "one process builds at a time, and deletes what a dead builder left, whose clock was %i ms ahead",
  async (aheadMs) => {
    const domain = `turns-${aheadMs}`;
    // Nothing renews the hold of the dead builder before the next one begins.
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const now = Date.now();
    vi.setSystemTime(now + aheadMs);
    const dead = await begin(domain);
    vi.setSystemTime(now);
    await dead.add("b", [["1", 1]]);
    await dead.loaded(1);
    expect(await rankings.build(domain)).toBeUndefined();
    await redis.del(`${namespace}:{${domain}:0:v2}:builder`); // its time has expired

    const left = await keysOf(domain);
    const next = await begin(domain);
    // Beside the load: builders that die again and again must not fill Redis.
    await vi.waitFor(
      async () => expect((await keysOf(domain)).filter((key) => left.includes(key))).toEqual([]),
      30_000,
    );
    await next.add("b", [["2", 2]]);
    await goLive(next);
    expect(await entriesOf(domain, "b")).toEqual([{ member: "2", count: 2 }]);
    const generations = new Set((await keysOf(domain)).flatMap((key) => /\}:(\w+):/.exec(key)?.[1] ?? []));
    expect(generations.size).toBe(1);
    await dead.release();
  },
);

test.each(["switch", "release"])(
  "a builder that was overtaken before its %s touches no other generation",
  async (step) => {
    const domain = `overtaken-${step}`;
    const generation = await begin(domain);
    expect(await rankings.isBuilding(domain)).toBe(true);
    await generation.loaded(1);
    const first = (await keysOf(domain)).find((key) => key.endsWith(":builder")) ?? "";
    // Another builder's keys, after the time of this one expired. Its clock is behind.
    const theirs = `${first.slice(0, -"builder".length)}${Date.now() - 60_000}000:b:board`;
    await redis.zadd(theirs, 1, "member");
    await redis.set(first, "another");
    if (step === "switch") expect(await generation.switch()).toBe(false);
    await generation.release();
    expect(await redis.exists(theirs)).toBe(1);
    expect(await redis.get(first)).toBe("another");
    await redis.del(first);
    expect(await rankings.isBuilding(domain)).toBe(false);
  },
);

test("a script that fails half-way makes its generation dirty, and a new generation ends that", async () => {
  const domain = "soiled";
  await goLive(await begin(domain));
  await rankings.rank(domain, batchOf(0, "b", 1));
  const board = (await keysOf(domain)).find((key) => key.endsWith(":b:b")) ?? "";
  await redis.set(board, "no sorted set");
  await expect(rankings.rank(domain, batchOf(1, "b", 1))).rejects.toThrow("WRONGTYPE");
  const reason = expect.stringContaining("WRONGTYPE");
  expect(await rankings.state(domain)).toEqual({ name: "dirty", reason });
  const generation = await begin(domain);
  await generation.add("b", [["1", 2]]);
  await generation.mark(producer, Buffer.from([0b1100_0000]));
  await goLive(generation);
  expect(await rankings.state(domain)).toEqual({ name: "whole" });
  expect(await entriesOf(domain, "b")).toEqual([{ member: "1", count: 2 }]);
});

test("the note of a check is valid only for the Redis process that was checked", async () => {
  expect(await rankings.checkedTo("checked", "run-1")).toBeUndefined();
  await rankings.noteChecked("checked", "run-1", 1234);
  expect(await rankings.checkedTo("checked", "run-1")).toBe(1234);
  expect(await rankings.checkedTo("checked", "run-2")).toBeUndefined();
});
