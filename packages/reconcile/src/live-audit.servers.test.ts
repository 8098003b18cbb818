import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { firstLiveDay, Moves, textOfBatchId, type BatchId } from "@tally/contract";
import { addMoves } from "@tally/redis";
import { expect, test } from "vitest";
import { rebuild } from "./rebuild.ts";
import { storedSales } from "./stored-sales.test-kit.ts";

const single = storedSales(["few", "wrong", "hidden", "many", "moved", "hot", "chain"]);
const two = storedSales(["wide", "long", "marked"], 2);
const { redis, namespace, rankings, open } = single;

type Sizes = Readonly<Record<"stores" | "items", number>>;

interface Traffic {
  readonly from?: typeof single;
  readonly sizes?: Sizes;
  /** Of what is stored before the traffic; default: as in it. */
  readonly before?: Sizes;
  readonly work: (sales: Awaited<ReturnType<typeof open>>) => Promise<void>;
}

/** Stores and ranks in a loop, some batches late, while `work` runs. */
async function besideTraffic(name: string, { from = single, sizes, before = sizes, work }: Traffic) {
  const sales = await from.open(name);
  await sales.store(100, before);
  await sales.foldAll();
  await sales.store(100, before);
  let isDone = false;
  const traffic = (async () => {
    for (let round = 0; !isDone; round++) {
      const late = sales.messages.length;
      await sales.store(randomInt(3), { isRanked: false, ...sizes });
      await sales.store(randomInt(3), sizes);
      await delay(randomInt(5));
      await Promise.all(sales.messages.slice(late).map((message) => from.rankings.rank(name, message)));
      if (round % 20 === 0) await from.nextEpoch(name);
    }
  })();
  await work(sales).finally(() => (isDone = true));
  await traffic;
  return sales;
}

async function prefixOf(name: string): Promise<string> {
  const [asOf = expect.fail()] = await redis.keys(`${namespace}:{${name}:0:v2}:*:as-of`);
  return asOf.slice(0, -"as-of".length);
}

const live = { liveMs: 15_000, endpoint: "read" } as const;

test.each<{ name: string } & Omit<Traffic, "work">>([
  { name: "few", sizes: { stores: 3, items: 20 } }, // each cell moves often
  { name: "wide", sizes: { stores: 300, items: 100 }, from: two }, // a board of which the sorted set has a part
  { name: "long", sizes: { stores: 1, items: 300 }, from: two }, // a mirrored board of which Redis keeps the best
])(
  "an audit beside traffic agrees, whatever is stored, ranked and folded meanwhile: $name",
  async ({ name, ...how }) => {
    const sales = await besideTraffic(name, {
      ...how,
      async work({ audit, foldAll, messages }) {
        const before = messages.length;
        for (let n = 0; n < 4; n++) {
          const [found] = await Promise.all([audit(live), n % 3 === 0 ? foldAll() : undefined]);
          expect(found).toMatchObject({ agrees: true, boards: { missing: 0, surplus: 0 } });
        }
        expect(messages.length).toBeGreaterThan(before);
      },
    });
    expect((await sales.audit({ isFull: true })).agrees).toBe(true);
  },
);

test("an audit beside traffic finds each cell and mark that is wrong", async () => {
  const work: Traffic["work"] = async ({ audit, messages }) => {
    const prefix = await prefixOf("wrong");
    // The traffic has 3 stores and 20 items, so the first two cells move, and take those of the stores with them.
    await redis.zincrby(`${prefix}b:item:7`, -300, "11");
    await redis.zincrby(`${prefix}b:item:8`, 200, "12");
    await redis.zincrby(`${prefix}b:item:27`, -3, "11");
    await redis.zincrby(`${prefix}b:item:28`, 2, "12");
    await redis.zadd(`${prefix}b:store:1`, -5, "3999");
    await redis.zadd(`${prefix}b:item:9`, 0, "14");
    // Late batches of the traffic are ranked within it, also on a busy machine.
    const { boards, batches } = await audit({ liveMs: 5000 });
    const found = boards.differences.first.map(
      ({ board, member, rows, ranked }) => [board, member, ranked - rows] as const,
    );
    // A difference of a moving cell is one of some moment: what is under way then is in it.
    const about = (by: number): unknown => expect.toSatisfy((one: number) => Math.abs(one - by) < 50);
    const wrong = [
      ["item:7", "1", about(300)],
      ["item:8", "2", about(-200)],
      ["item:27", "1", 3],
      ["item:28", "2", -2],
      ["store:1", "999", 5],
      ["item:9", "4", 0],
    ];
    expect(found).toEqual(expect.arrayContaining(wrong));
    const boardsOfWrong = ["item:7", "item:8", "item:9", "item:27", "item:28", "store:1", "store:2"];
    for (const [board] of found) expect(boardsOfWrong).toContain(board);
    expect(batches).toMatchObject({ strayMarks: 0, unmarked: { count: 0 } });
    const { producer = "" } = messages[0]?.batch ?? {};
    await redis.setbit(`${prefix}applied:${producer}`, 100_000, 1);
    expect((await audit({ liveMs: 1000 })).batches.strayMarks).toBe(1);
  };
  await besideTraffic("wrong", { work, before: { stores: 3, items: 40 } });
});

test("an audit needs the marks of one shard at a time, and finds a mark that any shard lacks", async () => {
  const { store, audit, messages } = await two.open("marked");
  await store(20);
  let lacking: readonly BatchId[] = [];
  const unmarkOne = async (shard: number) => {
    const { producer, sequence } = lacking[shard] ?? {};
    const [key = ""] = await two.redis.keys(`${two.namespace}:{marked:${shard}:v2}:*:applied:${producer}`);
    if (sequence !== undefined) await two.redis.setbit(key, sequence, 0);
  };
  const shardByShard: typeof rankings = {
    ...two.rankings,
    async *marks(domain) {
      let shard = 0;
      await unmarkOne(shard);
      for await (const marks of two.rankings.marks(domain)) {
        const one = new Map(marks);
        yield one;
        one.clear();
        await unmarkOne(++shard);
      }
    },
  };
  const { agrees, batches, ledger } = await audit({ rankings: shardByShard });
  expect([agrees, batches.ranked]).toEqual([true, ledger.changes]);
  lacking = messages.slice(0, 2).map(({ batch }) => batch);
  const { unmarked, ranked, strayMarks } = (await audit({ rankings: shardByShard })).batches;
  expect([new Set(unmarked.first), strayMarks]).toEqual([new Set(lacking.map(textOfBatchId)), 0]);
  expect(ranked).toBeLessThan(ledger.changes);
});

test("wrong sums of the chain, and one before the best of a store, are found, and a rebuild restores them", async () => {
  const { store, audit, domain, database } = await open("chain");
  await store(100);
  const [prefix, day] = [await prefixOf("chain"), firstLiveDay(Date.now() + 86_400_000)];
  await redis.hincrby(`${prefix}c:${day}/all:items`, "7", -4);
  await redis.zadd(`${prefix}b:${day}/all:items`, -5, "299");
  await redis.hset(`${prefix}c:${day}/all:stores`, "4", -6);
  const [last = "", , next = "", score = ""] = await redis.zrange(`${prefix}b:store:1`, "0", "1", "REV", "WITHSCORES");
  await redis.hset(`${prefix}floors`, "store:1", `${score} ${next}`);
  await redis.zincrby(`${prefix}b:store:1`, -1_000_000, last);
  for (const liveMs of [undefined, 500]) {
    const { count, first } = (await audit(liveMs === undefined ? {} : { liveMs })).boards.differences;
    const found = first.map(({ board, member, rows, ranked }) => `${board} ${member}: ${ranked - rows}`);
    // Item 7 has another sum among the best.
    expect([count, new Set(found)]).toEqual([
      4,
      new Set([
        `${day}/all:items 7: 4`,
        `${day}/all:items 99: 5`,
        `${day}/all:stores 4: 6`,
        `store:1 ${last.slice(1)}: 1000000`,
      ]),
    ]);
  }
  await rebuild({ domain, database, rankings });
  expect(await audit()).toMatchObject({ agrees: true, boards: { missing: 0, surplus: 0 } });
});

test("a cell that is wrong by what is ranked while it is read is found", async () => {
  const { store, audit, messages } = await open("hidden");
  await store(60);
  const prefix = await prefixOf("hidden");
  let wrong: readonly [board: string, member: string, by: number] | undefined;
  const { boards } = await audit({
    liveMs: 1000,
    rankings: {
      ...rankings,
      equal: async () => new Set(),
      async cells(...asked) {
        if (wrong !== undefined) return rankings.cells(...asked);
        await store(1, { isRanked: false });
        const message = messages.at(-1) ?? expect.fail();
        const moves = new Moves();
        addMoves(message, moves);
        const [[, counts] = expect.fail()] = moves.mirrored();
        const [[member, [item, by]] = expect.fail()] = counts;
        const board = `item:${item}`;
        wrong = [board, member, Number(by)];
        await redis.zincrby(`${prefix}b:${board}`, -Number(by), `1${member}`);
        const read = await rankings.cells(...asked);
        await rankings.rank("hidden", message);
        return read;
      },
    },
  });
  const [board, member, by] = wrong ?? expect.fail();
  const found = boards.differences.first.find((one) => one.board === board && one.member === member);
  expect((found?.ranked ?? 0) - (found?.rows ?? 0)).toBe(by);
});

test("cells that are right when they are read again are no differences, however many", async () => {
  const { store, audit } = await open("many");
  await store(10);
  let surplus = 110_000;
  const { boards } = await audit({
    liveMs: 1000,
    rankings: {
      ...rankings,
      equal: async () => new Set(),
      async *boards() {
        yield ["store:77"]; // a second comparison
      },
      async cells(domain, asked) {
        const [first = expect.fail(), ...rest] = await rankings.cells(domain, asked);
        if (asked.some((one) => "members" in one)) return [first, ...rest];
        const others = Array.from({ length: surplus }, (_, n) => [String(100 + n), 1] as const);
        surplus = 1;
        return [{ ...first, cells: new Map([...first.cells, ...others]) }, ...rest];
      },
    },
  });
  expect([boards.differences.count, surplus]).toEqual([0, 1]);
});

test("what is ranked between the snapshot and a comparison is expected in it", async () => {
  const { store, audit } = await open("moved");
  await store(10);
  const again: unknown[] = [];
  const found = await audit({
    liveMs: 1000,
    rankings: {
      ...rankings,
      async *marks(domain) {
        await store(10);
        yield* rankings.marks(domain);
      },
      cells(domain, asked) {
        again.push(...asked.filter((one) => "members" in one));
        return rankings.cells(domain, asked);
      },
    },
  });
  expect([found.agrees, again]).toEqual([true, []]);
});

test("a cell that moves at every look is no difference", async () => {
  const { store, audit } = await open("hot");
  const sizes = { stores: 1, items: 1, quantityMin: 100 };
  await store(1, sizes);
  let looks = 0;
  const cells: typeof rankings.cells = async (...asked) => {
    await store(1, sizes);
    const read = await rankings.cells(...asked);
    looks++;
    await store(1, { ...sizes, quantityMin: -1000 });
    return read;
  };
  expect(await audit({ liveMs: 6000, rankings: { ...rankings, equal: async () => new Set(), cells } })).toMatchObject({
    agrees: true,
  });
  expect(looks).toBeGreaterThan(10);
});
