import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { encodeRankingMessage } from "@tally/contract";
import { expect, test } from "vitest";
import { cellsOf } from "./meanwhile.ts";
import { storedSales } from "./stored-sales.test-kit.ts";

const { redis, namespace, rankings, nextEpoch, open } = storedSales(["moving", "wrong", "hidden", "hot"]);

/** Stores, ranks and folds in a loop, some batches late, while `work` runs. Few cells, so each moves often. */
async function besideTraffic(name: string, work: (sales: Awaited<ReturnType<typeof open>>) => Promise<void>) {
  const sales = await open(name);
  await sales.store(40);
  await sales.foldAll();
  await sales.store(40);
  let isDone = false;
  const traffic = (async () => {
    for (let round = 0; !isDone; round++) {
      const late = sales.messages.length;
      await sales.store(randomInt(3), { isRanked: false });
      await sales.store(randomInt(3));
      await delay(randomInt(5));
      await Promise.all(sales.messages.slice(late).map((message) => rankings.rank(name, message)));
      if (round % 20 === 0) await nextEpoch(name);
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

const live = { isLive: true, endpoint: "read" } as const;

test("an audit beside traffic agrees, whatever is stored, ranked and folded meanwhile", async () => {
  const sales = await besideTraffic("moving", async ({ audit, foldAll, messages }) => {
    const before = messages.length;
    for (let n = 0; n < 10; n++) {
      const [found] = await Promise.all([audit(live), n % 3 === 0 ? foldAll() : undefined]);
      expect(found).toMatchObject({ agrees: true, boards: { missing: 0, surplus: 0 } });
    }
    expect(messages.length).toBeGreaterThan(before);
  });
  expect((await sales.audit({ isFull: true })).agrees).toBe(true);
});

test("an audit beside traffic finds each cell and mark that is wrong", async () => {
  await besideTraffic("wrong", async ({ audit, messages }) => {
    const prefix = await prefixOf("wrong");
    // Sales have 3 stores and 20 items, so the first two cells move, and take those of the stores with them.
    await redis.zincrby(`${prefix}b:item:7`, -3, "11");
    await redis.zincrby(`${prefix}b:item:8`, 2, "12");
    await redis.zadd(`${prefix}b:store:1`, -5, "3999");
    const { boards, batches } = await audit(live);
    const found = boards.differences.first.map(
      ({ board, member, rows, ranked }) => [board, member, ranked - rows] as const,
    );
    const wrong = [
      ["item:7", "1", 3],
      ["item:8", "2", -2],
      ["store:1", "999", 5],
    ];
    expect(found).toEqual(expect.arrayContaining(wrong));
    for (const [board] of found) expect(["item:7", "item:8", "store:1", "store:2"]).toContain(board);
    expect(batches).toMatchObject({ strayMarks: 0, unmarked: { count: 0 } });
    const { producer = "" } = messages[0]?.batch ?? {};
    await redis.setbit(`${prefix}applied:${producer}`, 100_000, 1);
    expect((await audit(live)).batches.strayMarks).toBe(1);
  });
});

test("a cell that is wrong by what is ranked while it is read is found", async () => {
  const { store, audit, messages } = await open("hidden");
  await store(60);
  const prefix = await prefixOf("hidden");
  let wrong: readonly [board: string, member: string, by: number] | undefined;
  const { boards } = await audit({
    isLive: true,
    rankings: {
      ...rankings,
      async cells(...asked) {
        if (wrong !== undefined) return rankings.cells(...asked);
        await store(1, { isRanked: false });
        const message = messages.at(-1) ?? expect.fail();
        [wrong = expect.fail()] = cellsOf(encodeRankingMessage(message));
        const [board, member, by] = wrong;
        await redis.zincrby(`${prefix}b:${board}`, -by, `1${member}`);
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

test("a cell that moves at many looks is no difference", async () => {
  const { store, audit } = await open("hot");
  const one = { stores: 1, items: 1 };
  await store(1, one);
  let looks = 0;
  const cells: typeof rankings.cells = async (...asked) => {
    const read = await rankings.cells(...asked);
    if (looks++ < 10) await store(1, one);
    return read;
  };
  expect(await audit({ isLive: true, rankings: { ...rankings, cells } })).toMatchObject({ agrees: true });
  expect(looks).toBeGreaterThan(10);
});
