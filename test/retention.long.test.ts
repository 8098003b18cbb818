import { join } from "node:path";
import { addMonths, firstDayOf, monthOf } from "@tally/database";
import { expect, test, vi } from "vitest";
import { awayFromMidnight, temporaryDirectory } from "@tally/local/at-end";
import { sold } from "./kit/sales.ts";
import { cellsOfBoards, countOf, openDatabase, openRedis, startSystem } from "./kit/system.ts";
import { expectEnd, runTally, tallyJson } from "./kit/tally.ts";

/*
 * apps/admin/src/retention/retention.servers.test.ts kills the command after each of its steps. Here a whole system
 * works meanwhile.
 */

await awayFromMidnight(300_000);
const system = await startSystem();
const database = openDatabase(system);

const dateIn = (monthsAgo: number): string =>
  firstDayOf(addMonths(monthOf(Date.now()), -monthsAgo)).replaceAll("-", "");

let begun = 0;
let acknowledged = 0;
/** Sells on the first day of a month, again while that gets 503. */
async function sell(monthsAgo: number): Promise<void> {
  const n = begun++;
  const headers = { "idempotency-key": `sale-${n}` };
  const sale = { item: n % 7, quantity: 1 + (n % 3), date: dateIn(monthsAgo), headers };
  await vi.waitFor(() => sold(system.url, n % 4, sale), 30_000);
  acknowledged++;
}

/** The cells that the boards must have: each of the first `sales` sales counts once. */
function cellsOfSales(sales: number): readonly string[] {
  const counts = new Map<string, number>();
  const add = (cell: string, by: number) => counts.set(cell, (counts.get(cell) ?? 0) + by);
  for (let n = 0; n < sales; n++) {
    add(`store:${n % 4} ${n % 7}`, 1 + (n % 3));
    add(`item:${n % 7} ${n % 4}`, 1 + (n % 3));
  }
  return Array.from(counts, ([cell, count]) => `${cell} ${count}`).toSorted();
}

// On a disk: the command refuses a directory in memory, as the temporary one may be. The system is below this folder
// too.
const directory = await temporaryDirectory(join(import.meta.dirname, "..", ".tally"));
const retention = ["retention", "--domain", "purchases", "--keep-months", "3", "--export", directory];
const old = 80;
const months = [5, 4].map((monthsAgo) => addMonths(monthOf(Date.now()), -monthsAgo));

test("months are removed under load: nothing is lost or counted twice", async () => {
  for (const monthsAgo of [5, 4]) for (let n = 0; n < old / 2; n++) await sell(monthsAgo);
  let isSelling = true;
  // New dates, and dates that are old enough to be checked but retained.
  const clients = [0, 0, 1, 2].map(async (monthsAgo) => {
    while (isSelling) await sell(monthsAgo);
  });
  await expect.poll(() => countOf(database, "purchases")).toBeGreaterThan(200);
  const { output, errors, exitCode } = await runTally(system, [...retention, "--json"]);
  expect({ exitCode, errors: exitCode === 0 ? "" : errors }).toEqual({ exitCode: 0, errors: "" });
  const before = acknowledged;
  await expect.poll(() => acknowledged).toBeGreaterThan(before + 50);
  isSelling = false;
  await Promise.all(clients);
  expect(JSON.parse(output)).toMatchObject({
    converted: true,
    removed: months.map((month) => ({ month, events: old / 2, file: join(directory, `purchases-${month}.ndjson`) })),
  });
  expect(await tallyJson(system, "audit")).toMatchObject({
    agrees: true,
    audit: { stored: acknowledged, ranked: acknowledged, lost: 0, doubled: 0 },
  });
  expect(await countOf(database, "purchases")).toBe(acknowledged - old);
  expect(await cellsOfBoards(system)).toEqual(cellsOfSales(acknowledged));
});

test("the ranking of a store of which Redis keeps too few is that of all sales, removed ones too", async () => {
  for (let n = 0; n < 8; n++) await sell(0);
  await expect.poll(() => cellsOfBoards(system)).toEqual(cellsOfSales(acknowledged));
  const get = async (path: string) => JSON.parse(await (await fetch(system.url + path)).text());
  const { asOf, items } = await get("/stores/1/top-items");
  expect(items).toHaveLength(7);
  const redis = openRedis(system);
  const [board = expect.fail()] = await redis.keys(`${system.namespace}:{purchases:*:b:store:1`);
  // As after counts have fallen.
  await redis.zremrangebyrank(board, 3, -1);
  const [last = "", score = ""] = await redis.zrange(board, "-1", "-1", "WITHSCORES");
  await redis.hset(board.replace("b:store:1", "floors"), "store:1", `${score} ${last}`);
  expect(await tallyJson(system, "audit")).toMatchObject({ agrees: true });
  for (const limit of [3, 4, 10]) {
    // A ranking that is counted from rows has the time of the read.
    const top = {
      storeID: 1,
      by: "quantity",
      asOf: limit === 3 ? asOf : expect.any(String),
      items: items.slice(0, limit),
    };
    await expect.poll(() => get(`/stores/1/top-items?limit=${limit}`)).toEqual(top);
  }
  expect((await get("/items/store/1")).stores).toHaveLength(7);
});

test("a ledger that differs from the rows, and a removed month with rows, are one line without a stack", async () => {
  await sell(3);
  expect(await tallyJson(system, "audit")).toMatchObject({ agrees: true });
  const execute = (sql: string) => database.transaction((transaction) => transaction.execute(sql));
  const again = () => runTally(system, retention.with(4, "2"));
  await execute("UPDATE batches SET changes = changes + 1 WHERE domain = 'purchases'");
  // The command folds what the read endpoint shows.
  const changes = (from: "reader" | "writer") => database[from].query("SELECT SUM(changes) AS n FROM batches");
  const changed = await changes("writer");
  await expect.poll(() => changes("reader")).toEqual(changed);
  const differs = /^tally: batch \S+ has \d+ rows, its ledger entry says \d+\n$/;
  expectEnd(await again(), 1, differs);
  await execute("UPDATE batches SET changes = changes - 1 WHERE domain = 'purchases'");
  await execute("UPDATE retention_months SET step = 'removed'");
  expectEnd(await again(), 1, /^tally: purchases: \S+ was removed before, and has rows again: keep the rows; .*\n$/);
});
