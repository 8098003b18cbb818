import { randomBytes } from "node:crypto";
import { boardsOfSeries, chainBoards, defaultSeries, joinBoards, Moves, utcDayOf } from "@tally/contract";
import { openTcpProxy } from "@tally/local";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { encodeMoves, encodeMember, shardOf } from "./encode-moves.ts";
import { goLive, movesOf, ownRankings } from "./own-rankings.test-kit.ts";
import { shardKey } from "./live-shards.ts";
import { isRedisAway } from "./rankings.ts";
import { readScript } from "./scripts.ts";

const sales = { prefix: "item:", mirrorPrefix: "store:" };
const recount = { boards: [{ mirrored: sales, seriesOf: () => [], rows: [], rowsOfBatches: [] }] };
const { namespace, rankings, redis, connect, build } = ownRankings(3, [
  { name: "mirrored", recount },
  { name: "mirrored chain", recount },
  { name: "lost", recount },
]);

/** The beginning of the keys of a built generation. */
async function liveOf(domain: string, shard: number): Promise<string> {
  const key = shardKey(namespace, domain, shard);
  return `${key}:${await redis.get(`${key}:generation`)}`;
}

let sequence = 0;
const producer = randomBytes(8).toString("hex");
function message(moves: Parameters<typeof movesOf>[0] | Moves, storedAt = Date.now()) {
  const all = moves instanceof Moves ? moves : movesOf(moves);
  return { batch: { producer, sequence: sequence++ }, storedAt, ...encodeMoves(all, 3) };
}

test("a batch that is ranked many times, at once and later, counts once", async () => {
  await goLive(await build("race"));
  const same = message({ "store:2": { "20": 3 }, "item:20": { "2": 3 } });
  expect(await rankings.isMarked("race", same.batch)).toBe(false);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => rankings.rank("race", same)));
  expect(outcomes.filter(Boolean)).toHaveLength(1);
  expect(await rankings.rank("race", same)).toBe(false);
  expect(await rankings.isMarked("race", same.batch)).toBe(true);
  expect((await rankings.top("race", "store:2", 10)).entries).toEqual([{ member: "20", count: 3 }]);
  expect(await rankings.count("race", "store:2", "21")).toBe(0);
});

test("a call fails as unavailable while Redis is down, frozen or a replica, and as a bug when a script fails", async () => {
  let isReplica = false;
  const readOnly = Buffer.from("-READONLY You can't write against a read only replica.\r\n");
  const proxy = await openTcpProxy(inject("services").redisUrl, {
    onResponse: (piece) => (isReplica ? readOnly : piece),
  });
  onTestFinished(() => proxy.close());
  const away = connect({ url: proxy.url, commandTimeoutMs: 300 });
  const calls = () => [away.state("away"), away.unmarked("away", [{ producer, sequence: 0 }]), away.build("away")];
  for (const name of ["frozen", "cut"] as const) {
    // It may take longer than its timeout to connect.
    await vi.waitFor(() => away.instance(), 30_000);
    proxy.become({ name });
    const failures = (await Promise.allSettled(calls())).map((call) => call.status === "rejected" && call.reason);
    expect(failures.map(isRedisAway)).toEqual([true, true, true]);
    await expect(away.rank("away", message({ board: { 1: 1 } }))).rejects.toMatchObject({
      failureClass: "unavailable",
    });
    proxy.become({ name: "open" });
  }
  const patient = connect({ url: proxy.url });
  await patient.instance();
  isReplica = true;
  const rejected: unknown = await patient.build("away").catch((error: unknown) => error);
  expect([String(rejected), isRedisAway(rejected)]).toEqual([expect.stringContaining("READONLY"), true]);
  await redis.set(`${shardKey(namespace, "away", shardOf("board", 3))}:1:b:board`, "no sorted set");
  const failed: unknown = await rankings.rank("away", message({ board: { 1: 1 } })).catch((error: unknown) => error);
  expect([failed, isRedisAway(failed)]).toEqual([expect.objectContaining({ name: "ReplyError" }), false]);
});

test("one call returns some members of one board only, even if several fall, and other batches do not loop", async () => {
  const boards = Array.from({ length: 20 }, (_, n) => `board ${n}`);
  const both = boards.filter((board) => shardOf(board, 3) === 0).slice(0, 2);
  const members = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [String(n), 1 + n]));
  for (const board of both) await rankings.rank("both", message({ [board]: members }));
  const move = (by: number) => message(Object.fromEntries(both.map((board) => [board, { "4999": by }])));
  const [fall, other] = [move(-4000), move(1)];
  const shard = shardKey(namespace, "both", 0);
  const call = ({ batch, storedAt, shards }: typeof fall) =>
    redis.eval(readScript("rank"), 1, shard, "", batch.producer, batch.sequence, storedAt, shards[0] ?? "");
  const sizes = () => Promise.all(both.map((board) => redis.zcard(`${shard}:1:b:${board}`)));
  expect(await call(fall)).toEqual([1, 1]);
  expect((await sizes()).map((size) => [size > 200, size < 2000])).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(await call(other)).toEqual([1, 0]);
  await rankings.rank("both", fall);
  expect(await sizes()).toEqual([5000, 5000]);
});

test("all members are read while they return to the sorted set", async () => {
  const counts = Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [String(n), n === 0 ? 3 : 2]));
  await rankings.rank("read", message({ read: counts }));
  const [best = ""] = await redis.keys(`${namespace}:{read:*:v2}:1:b:read`);
  const sizes = new Set<number | undefined>();
  let going = true;
  const reading = (async () => {
    do sizes.add((await rankings.cells("read", [{ board: "read" }]))[0]?.cells.size);
    while (going);
  })();
  await redis.ping();
  await rankings.rank("read", message({ read: { "0": -2 } }));
  going = false;
  await reading;
  expect([...sizes]).toEqual([15_000]);
  expect(await redis.exists(best.replace(":b:", ":c:"))).toBe(0);
});

test("cells show what is wrong in the hash of a board and in its sorted set", async () => {
  const counts = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [String(n), n + 1]));
  await rankings.rank("wrong", message({ board: counts }));
  const cellsNow = async () =>
    Object.fromEntries((await rankings.cells("wrong", [{ board: "board" }]))[0]?.cells ?? []);
  expect(await cellsNow()).toEqual(counts);
  const [hash = ""] = await redis.keys(`${namespace}:{wrong:*:v2}:1:c:board`);
  const best = hash.replace(":c:", ":b:");
  await redis.hset(hash, encodeMember("1"), -7);
  await redis.zadd(best, -7, encodeMember("299"));
  await redis.zrem(best, encodeMember("298"));
  const { "298": _, ...others } = counts;
  expect(await cellsNow()).toEqual({ ...others, "1": 7, "299": 7 });
  const alsoStored = async () => (await rankings.cells("wrong", [{ board: "board" }]))[0]?.alsoStored;
  expect(await alsoStored()).toEqual(new Map([["299", 300]]));
  await redis.hset(hash, encodeMember("297"), -1);
  await redis.hdel(hash, encodeMember("296"));
  expect(await alsoStored()).toEqual(new Map(Object.entries({ "299": 300, "297": 1, "296": 0 })));
  // A sorted set that was cut too short, with a floor that fits it.
  await redis.zremrangebyrank(best, 2, -1);
  const [member = "", score = ""] = await redis.zrange(best, "-1", "-1", "WITHSCORES");
  await redis.hset(hash.replace("c:board", "floors"), "board", `${score} ${member}`);
  expect(Object.keys(await cellsNow()).length).toBeLessThan(10);
});

test("mirrored counts rank members by key and keys by member, in all shards", async () => {
  await goLive(await build("mirrored"));
  const moves = new Moves();
  const sold = new Map<string, number>();
  for (let n = 0; n < 2000; n++) {
    const item = String((n * 7919) % 900);
    sold.set(item, (sold.get(item) ?? 0) + 1 + (n % 5));
    moves.addMirrored(sales, item, "7", 1 + (n % 5));
    if (n % 2 === 0) moves.addMirrored(sales, item, "8", 1);
  }
  await rankings.rank("mirrored", message(moves));
  expect((await rankings.top("mirrored", "store:7", 100)).entries).toEqual(bestOf(sold));
  const [kept] = await rankings.cells("mirrored", [{ board: "store:7" }]);
  expect([...sold].filter(([item, count]) => kept?.keeps(item, count) === true).length).toBe(kept?.cells.size);
  // The best are returned, all or some of them, until a shard has too few others in order.
  let isExact = true;
  for (let round = 0; isExact; round++) {
    const falls = new Moves();
    for (const { member, count } of bestOf(sold).slice(0, 20 + round)) {
      const by = member.endsWith("3") ? count : 1;
      falls.addMirrored(sales, member, "7", -by);
      if (by === count) sold.delete(member);
      else sold.set(member, count - by);
    }
    await rankings.rank("mirrored", message(falls));
    for (const limit of [10, 100]) {
      const top = await rankings.top("mirrored", "store:7", limit);
      if (top.isExact) expect(top.entries).toEqual(bestOf(sold).slice(0, limit));
      isExact = top.isExact;
    }
    expect(round).toBeLessThan(100);
  }
  const [found] = await rankings.cells("mirrored", [{ board: "store:7" }]);
  expect(found?.cells).toEqual(new Map([...sold].filter(([item, count]) => found?.keeps(item, count) === true)));
  expect([found?.cells.size !== 0, found?.alsoStored.size]).toEqual([true, 0]);
  const floors = `${await liveOf("mirrored", 1)}:floors`;
  await redis.hset(floors, "store:7", `-1000 ${encodeMember("1")}`);
  const [behind] = await rankings.cells("mirrored", [{ board: "store:7" }]);
  expect([...(behind?.alsoStored.values() ?? [])].slice(0, 2)).toEqual([0, 0]);
  const [item = "", count = 0] = [...sold][0] ?? [];
  expect((await rankings.top("mirrored", `item:${item}`, 10)).entries[0]).toEqual({ member: "7", count });
  expect(await rankings.count("mirrored", "store:7", item)).toBe(count);
  expect(await rankings.count("mirrored", `item:${item}`, "7")).toBe(count);
});

test("the boards of the chain are the sums of a day over all shards, also after the best were taken back", async () => {
  const [name, day] = ["mirrored chain", utcDayOf(Date.now())];
  const ofDay = boardsOfSeries(sales, String(day));
  const joined = joinBoards([sales, ofDay]);
  const { keys, members } = chainBoards(ofDay) ?? expect.fail();
  await goLive(await build(name));
  const [sold, ofStores] = [new Map<string, number>(), new Map<string, number>()];
  const rank = async (counts: Iterable<readonly [item: string, store: string, by: number]>) => {
    const moves = new Moves();
    for (const [item, store, by] of counts) {
      sold.set(item, (sold.get(item) ?? 0) + by);
      ofStores.set(store, (ofStores.get(store) ?? 0) + by);
      moves.addMirrored(joined, item, store, by);
    }
    await rankings.rank(name, { ...message(moves), series: "day" });
  };
  const some = (many: number) =>
    Array.from({ length: many }, (_, n) => [String((n * 7919) % 900), String(n % 130), 1 + (n % 7)] as const);
  const expectSums = async () => {
    for (const [board, all] of [[keys, sold] as const, [members, ofStores] as const]) {
      const cells = new Map([...all].filter(([, count]) => count !== 0));
      const { entries, total } = await rankings.top(name, board, 100);
      expect(entries).toEqual(bestOf(cells));
      const sum = [...cells.values()].reduce((left, right) => left + right, 0);
      expect(total).toBe(board === members ? sum : undefined);
      const first = entries.slice(0, 3).map(({ member }) => member);
      const read = await rankings.cells(name, [{ board }, { board, members: first }]);
      const firstCells = new Map(first.map((member) => [member, cells.get(member)]));
      expect(read.map((one) => [one.cells, one.alsoStored.size])).toEqual([
        [cells, 0],
        [firstCells, 0],
      ]);
      for (const [member, count] of firstCells) expect(await rankings.count(name, board, member)).toBe(count);
    }
  };
  await rank(some(3000));
  await expectSums();
  const best = new Set(bestOf(sold).map(({ member }) => member));
  await rank(some(3000).flatMap(([item, store, by]) => (best.has(item) ? [[item, store, -by]] : [])));
  await expectSums();
  const areExact = async () => (await rankings.top(name, keys, 10)).isExact;
  const generation = await build(name);
  await generation.noteSeries({ measures: [], from: day });
  // No earlier release has noted that it has them.
  expect(await areExact()).toBe(false);
  await goLive(generation);
  await rank(some(10));
  expect(await areExact()).toBe(true);
  // As the ranker of an earlier release does.
  const { batch, storedAt, shards } = message(new Moves());
  const shard = shardKey(namespace, name, 0);
  const { producer: own, sequence: at } = batch;
  await redis.eval(readScript("rank"), 1, shard, "", own, at, storedAt, shards[0] ?? "", 1, "day");
  expect([await areExact(), await rankings.lacksSeries(name, defaultSeries)]).toEqual([false, true]);
});

test("as-of is the time of the newest batch, in any order of arrival", async () => {
  await goLive(await build("age"), 0);
  expect(await rankings.top("age", "b", 10)).toEqual({ entries: [], isExact: true, asOf: undefined });
  await rankings.rank("age", message({ b: { "1": 1 } }, 2000));
  await rankings.rank("age", message({ b: { "1": 1 } }, 1000));
  expect((await rankings.top("age", "b", 10)).asOf).toBe(2000);
});

test("without a whole generation a board is not exact, and one of other counts or of the chain is unavailable", async () => {
  const isExact = async () => {
    const ofCounts = [
      ...["b", "20260101/all:items", "20260101/all:stores"].map((board) => rankings.top("lost", board, 10)),
      rankings.count("lost", "b", "1"),
      rankings.whole("lost", ["b"]),
    ];
    const { isExact: isBelieved } = await rankings.top("lost", "item:1", 10);
    const read = (await Promise.allSettled(ofCounts)).map((one) => one.status === "fulfilled" || one.reason.code);
    expect(read).toEqual(read.map(() => isBelieved || "RANKINGS_UNAVAILABLE"));
    return isBelieved;
  };
  await rankings.rank("lost", message({ b: { "1": 1 } }));
  expect(await isExact()).toBe(false);
  await goLive(await build("lost"));
  expect(await isExact()).toBe(true);
  for (const shard of [0, 1, 2]) await redis.set(`${await liveOf("lost", shard)}:dirty`, "failed");
  expect(await isExact()).toBe(false);
});

test("a batch is sought in the ledger from its ranking on, unless its time says that it is in none", async () => {
  const [stored, other] = [message({ b: { "1": 1 } }), message({ b: { "1": 1 } }, 0)];
  for (const one of [stored, other]) await rankings.rank("sought", one);
  expect((await rankings.inLedger("sought")).batches).toEqual([stored.batch]);
});

test("a message that cannot be read is rejected before anything is marked", async () => {
  const broken = { ...message({}), shards: [Buffer.from([0xc1]), Buffer.from([0x90]), Buffer.from([0x90])] };
  await expect(rankings.rank("broken", broken)).rejects.toThrow();
  expect(await rankings.isMarked("broken", broken.batch)).toBe(false);
});

function bestOf(counts: ReadonlyMap<string, number>) {
  const place = (member: string) => Buffer.from(encodeMember(member));
  const all = [...counts].toSorted(([a, x], [b, y]) => y - x || Buffer.compare(place(a), place(b)));
  return all.slice(0, 100).map(([member, count]) => ({ member, count }));
}
