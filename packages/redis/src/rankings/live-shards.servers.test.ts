import { randomBytes } from "node:crypto";
import { Moves, type Recount } from "@tally/contract";
import { expect, test } from "vitest";
import { encodeMoves } from "./encode-moves.ts";
import { goLive, ownRankings } from "./own-rankings.test-kit.ts";

const mirrored = { prefix: "item:", mirrorPrefix: "store:" };
const boards: Recount["boards"] = [{ mirrored, seriesOf: () => [], rows: [], rowsOfBatches: [] }];
const domains = ["one", "stale", "half", "fewer", "lacking"].map((name) => ({ name, recount: { boards } }));
const { namespace, rankings, connect, redis, build } = ownRankings(1, domains);
const producer = randomBytes(8).toString("hex");

/** Three members of an own board, and three mirrored counts, in a message for a number of shards. */
function batchFor(shards: number, sequence: number) {
  const moves = new Moves();
  for (const member of ["1", "22", "name"]) moves.add("total", member, 2);
  for (const key of ["7", "8", "9"]) moves.addMirrored(mirrored, key, "5", Number(key));
  return { batch: { producer, sequence }, storedAt: 1000 + sequence, ...encodeMoves(moves, shards) };
}
const tops = async (domain: string, by = rankings) =>
  Promise.all(
    ["total", "store:5", "item:7", "item:8", "item:9"].map(async (board) => (await by.top(domain, board, 9)).entries),
  );

async function begin(domain: string, shards: number) {
  const generation = await build(domain, shards);
  await generation.rank(domain, batchFor(1, 0));
  return generation;
}
const rebuild = async (domain: string, shards: number) => goLive(await begin(domain, shards), 1000);

test("messages for any number of shards count the same in any number", async () => {
  await goLive(await build("one"), 0);
  await rankings.rank("one", batchFor(1, 0));
  const expected = await tops("one");
  expect(expected[1]).toEqual([9, 8, 7].map((count) => ({ member: String(count), count })));
  for (const shards of [3, 1, 4]) {
    const generation = await build("one", shards);
    expect(await generation.rank("one", batchFor(2, 0))).toBe(true);
    await goLive(generation, 1000);
    expect(await tops("one")).toEqual(expected);
    expect(await rankings.shards("one")).toBe(shards);
    expect(await rankings.rank("one", batchFor(shards, 0))).toBe(false);
  }
});

test("a connection that knew the old number follows at its next call, and ranks nothing in the old", async () => {
  const [reader, writer] = [connect(), connect()];
  await goLive(await build("stale"), 0);
  await rankings.rank("stale", batchFor(1, 0));
  const expected = await tops("stale", reader);
  await writer.rank("stale", batchFor(1, 0));
  await rebuild("stale", 4);
  expect(await tops("stale", reader)).toEqual(expected);
  expect(await writer.rank("stale", batchFor(1, 1))).toBe(true);
  expect(await rankings.unmarked("stale", [{ producer, sequence: 1 }])).toEqual([]);
  expect(await rankings.count("stale", "total", "22")).toBe(4);
  expect(await reader.count("stale", "store:5", "7")).toBe(14);
});

test("with fewer shards a connection that knew more learns it from each shard; the old keys are gone", async () => {
  await rebuild("fewer", 8);
  const reader = connect();
  const expected = await tops("fewer", reader);
  await rebuild("fewer", 2);
  for (const board of ["total", "item:7", "item:8", "item:9"]) {
    const other = connect();
    expect((await other.top("fewer", board, 9)).entries).not.toEqual([]);
  }
  expect(await tops("fewer", reader)).toEqual(expected);
  const left = (await redis.keys(`${namespace}:{fewer:*:v2}:*`)).filter((key) => !/:[01]:v2\}/.test(key));
  expect(left.filter((key) => !key.endsWith(":generation"))).toEqual([]);
});

test("a change that was interrupted between two shards is dirty, and another generation repairs it", async () => {
  await rebuild("half", 2);
  const expected = await tops("half");
  const interrupted = await begin("half", 4);
  await interrupted.loaded(1000);
  await interrupted.release();
  await redis.set(`${namespace}:{half:1:v2}:generation`, "1x4"); // the first shard is the last to be switched
  const reason = "a change of the number of shards was interrupted";
  expect(await rankings.state("half")).toEqual({ name: "dirty", reason });
  await rebuild("half", 2);
  expect(await rankings.state("half")).toEqual({ name: "whole" });
  expect(await tops("half")).toEqual(expected);
});

test("a generation of which one shard lacks a part is switched in no shard", async () => {
  await goLive(await build("lacking"), 0);
  await rankings.rank("lacking", batchFor(1, 0));
  const expected = await tops("lacking");
  await rebuild("lacking", 4);
  const names = () => redis.mget([0, 1, 2, 3].map((shard) => `${namespace}:{lacking:${shard}:v2}:generation`));
  const before = await names();
  expect(new Set(before).size).toBe(1);
  const lacking = await begin("lacking", 4);
  await lacking.loaded(1000);
  const loaded = await redis.keys(`${namespace}:{lacking:1:v2}:*:loaded`);
  expect(await redis.del(...loaded)).toBe(1);
  expect(await lacking.switch()).toBe(false);
  expect(await names()).toEqual(before);
  await lacking.release();
  expect(await tops("lacking")).toEqual(expected);
  expect(await rankings.state("lacking")).toEqual({ name: "whole" });
});
