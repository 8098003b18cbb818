import { utcDayOf, type Sources } from "@tally/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { firstCounts } from "./counts.ts";
import { topOfRegion, type Region } from "./live-chain.ts";

type Counts = ReadonlyMap<number, ReadonlyMap<number, number>>;
const day = utcDayOf(Date.now());

/** Boards of a day with these counts of items by store. `asked`: how many boards of items are read. */
function boardsOf(counts: Counts, asked: string[] = []): Sources["boards"] {
  const idIn = (board: string) => Number(board.split(":")[1]);
  const cellsOf = (board: string): ReadonlyMap<string, number> | undefined => {
    const sums = [...counts].map(([store, items]): [string, number] => {
      asked.push(board);
      return board.endsWith("/all:stores")
        ? [`${store}`, [...items.values()].reduce((sum, count) => sum + count, 0)]
        : [`${store}`, items.get(idIn(board)) ?? 0];
    });
    return new Map(sums.filter(([, count]) => count !== 0));
  };
  return {
    count: () => expect.fail(),
    whole: async (boards) => ({ cells: boards.map(cellsOf), asOf: 5 }),
    top: async (board, limit) => {
      const all = Array.from(counts.get(idIn(board)) ?? [], ([id, count]) => ({ id, count }));
      const entries = firstCounts(all, limit).map(({ id, count }) => ({ member: `${id}`, count }));
      return { entries, isExact: true, asOf: 5 };
    },
  };
}

const region: Region = { stores: [0, 1, 2, 3, 4, 5, 6], of: "North", has: (store) => store < 6 };
const topOf = (counts: Counts, limit: number, list: "keys" | "members" = "keys", asked?: string[]) =>
  topOfRegion(boardsOf(counts, asked), region, { window: { by: "quantity", days: [day] }, list, limit });

function sumsOf(counts: Counts, limit: number) {
  const sums = new Map<number, number>();
  for (const [store, items] of counts)
    for (const [id, count] of store < 6 ? items : []) sums.set(id, (sums.get(id) ?? 0) + count);
  const all = Array.from(sums, ([id, count]) => ({ id, count })).filter(({ count }) => count !== 0);
  return firstCounts(all, limit);
}

const some = (first: number, number: number, count: number) =>
  Array.from({ length: number }, (_, at): [id: number, count: number] => [first + at, count]);

const itemsOf = (most: number) =>
  fc.uniqueArray(fc.tuple(fc.nat(most), fc.integer({ min: -3, max: 60 })), { selector: ([id]) => id, maxLength: most });

test("the best items of a region are those of the sums, or not known", async () => {
  const anyCounts = fc.array(fc.oneof(itemsOf(9), itemsOf(300)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(anyCounts, fc.integer({ min: 1, max: 20 }), async (stores, limit) => {
      const counts = new Map(
        stores.map((items, store) => [store, new Map(items.filter(([, count]) => count !== 0))] as const),
      );
      const found = await topOf(counts, limit);
      if (found !== undefined) expect(found.entries).toEqual(sumsOf(counts, limit));
      else expect(Math.max(...Array.from(counts, ([, items]) => items.size))).toBeGreaterThanOrEqual(100);
    }),
    // A store whose items add up to 0 is not among the stores that sold most.
    { examples: [[[some(0, 1, -2).concat(some(1, 1, 2))], 1]] },
  );
});

test("the boards of stores prove the order of usual sales, and few boards of items are read", async () => {
  const stores = [0, 1, 2, 3, 4, 5, 6, 7];
  const ranks = Array.from({ length: 3000 }, (_, n) => n);
  // The nth item sells 1/n as often. Each store has another order of items.
  const itemOf = (n: number, store: number) => (n + (n % 7) * store) % ranks.length;
  const counts = new Map(
    stores.map((store) => [store, new Map(ranks.map((n) => [itemOf(n, store), Math.ceil(9000 / (n + 1))] as const))]),
  );
  const asked: string[] = [];
  expect((await topOf(counts, 10, "keys", asked))?.entries).toEqual(sumsOf(counts, 10));
  expect(new Set(asked).size).toBeLessThanOrEqual(201);
  const soldBy = Array.from(counts, ([id, own]) => ({ id, count: [...own.values()].reduce((sum, one) => sum + one) }));
  const inRegion = soldBy.filter(({ id }) => id < 6);
  expect((await topOf(counts, 3, "members"))?.entries).toEqual(firstCounts(inRegion, 3));
  const flat = new Map(stores.map((store) => [store, new Map(ranks.map((n) => [n, 1]))]));
  expect(await topOf(flat, 10)).toBeUndefined();
});

test("an item that may be above the best of the first ones is read too", async () => {
  const later = [...some(1000, 99, 1), ...some(2000, 98, 1), [2098, 50] as const];
  const counts = [[...some(0, 100, 52), ...later], some(1000, 99, 60), some(2000, 99, 60)];
  const best = await topOf(new Map(counts.map((own, store) => [store, new Map(own)])), 1);
  expect(best?.entries).toEqual([{ id: 2098, count: 110 }]);
});

test("below a store's last one, which was taken back, an item may have nothing", async () => {
  const counts = [0, 200].map((first) => some(first, 99, 60).concat([[first + 99, -3]]));
  const best = await topOf(new Map([...counts, some(5000, 1, 61)].map((own, store) => [store, new Map(own)])), 1);
  expect(best?.entries).toEqual([{ id: 5000, count: 61 }]);
});

test("a board whose order is not known proves nothing", async () => {
  const boards = boardsOf(new Map([[0, new Map([[1, 2]])]]));
  const top: typeof boards.top = async (board, limit) => ({ ...(await boards.top(board, limit)), isExact: false });
  const asked = { window: { by: "quantity", days: [day] }, list: "keys", limit: 1 } as const;
  expect(await topOfRegion({ ...boards, top }, region, asked)).toBeUndefined();
});
