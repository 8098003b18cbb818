import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { addMonths, firstDayOf, monthOf } from "@tally/database";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { cellsOfBoards, openDatabase, startSystem } from "./kit/system.ts";
import { tally, tallyJson } from "./kit/tally.ts";

/*
 * apps/admin/src/retention/retention.servers.test.ts kills the command after each of its steps. Here a whole system
 * works meanwhile.
 */

interface Sale {
  readonly key: string;
  readonly store: number;
  readonly date: string;
  readonly items: readonly { readonly ItemID: number; readonly numberOfItems: number }[];
}

const system = await startSystem();
const database = openDatabase(system);
const acknowledged: Sale[] = [];
let counter = 0;

const dateIn = (monthsAgo: number): string =>
  firstDayOf(addMonths(monthOf(Date.now()), -monthsAgo)).replaceAll("-", "");

function newSale(date: string): Sale {
  const n = counter++;
  const items = [n % 7, 10 + (n % 5)].map((ItemID) => ({ ItemID, numberOfItems: 1 + (n % 3) }));
  return { key: randomUUID(), store: n % 4, date, items };
}

/** Returns the event id. */
async function send({ key, store, date, items }: Sale): Promise<string> {
  for (;;) {
    const response = await fetch(`${system.url}/purchase/${store}/customer/1/date/${date}`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ items }),
    });
    const text = await response.text();
    if (response.status === 201) return response.headers.get("tally-event-id") ?? "";
    if (response.status !== 503) throw new Error(`${response.status}: ${text}`);
  }
}

async function sell(date: string): Promise<Sale> {
  const sale = newSale(date);
  await send(sale);
  acknowledged.push(sale);
  return sale;
}

/** The cells that the boards must have: each acknowledged sale counts once. */
function cellsOfSales(sales: readonly Sale[]): readonly string[] {
  const counts = new Map<string, number>();
  const add = (cell: string, by: number) => counts.set(cell, (counts.get(cell) ?? 0) + by);
  for (const { store, items } of sales) {
    for (const { ItemID, numberOfItems } of items) {
      add(`store:${store} ${ItemID}`, numberOfItems);
      add(`item:${ItemID} ${store}`, numberOfItems);
    }
  }
  return Array.from(counts, ([cell, count]) => `${cell} ${count}`).toSorted();
}

const countOf = async (table: string) =>
  Number((await database.writer.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n);

// On a disk: the command refuses a directory in memory, as the temporary one may be. The system is below this folder
// too.
const directory = await temporaryDirectory(join(import.meta.dirname, "..", ".tally"));
const retention = ["retention", "--domain", "purchases", "--keep-months", "2", "--export", directory];
const old: Sale[] = [];
const months = [4, 3].map((monthsAgo) => addMonths(monthOf(Date.now()), -monthsAgo));

test("months are removed under load: nothing is lost or counted twice", async () => {
  for (const monthsAgo of [4, 3]) for (let n = 0; n < 40; n++) old.push(await sell(dateIn(monthsAgo)));
  let isSelling = true;
  // New dates, and dates that are old enough to be checked but retained.
  const clients = [0, 0, 1, 2].map(async (monthsAgo) => {
    while (isSelling) await sell(dateIn(monthsAgo));
  });
  await vi.waitFor(async () => expect(await countOf("purchases")).toBeGreaterThan(200), 30_000);
  const { output, errors, exitCode } = await tally(system, [...retention, "--json"]);
  expect({ exitCode, errors: exitCode === 0 ? "" : errors }).toEqual({ exitCode: 0, errors: "" });
  const before = acknowledged.length;
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 50), 30_000);
  isSelling = false;
  await Promise.all(clients);
  expect(JSON.parse(output)).toMatchObject({
    converted: true,
    removed: months.map((month) => ({ month, events: 40, file: join(directory, `purchases-${month}.ndjson`) })),
  });
  expect(await tallyJson(system, "audit")).toMatchObject({
    agrees: true,
    audit: { stored: acknowledged.length, ranked: acknowledged.length, lost: 0, doubled: 0 },
  });
  expect(await countOf("purchases")).toBe(acknowledged.length - old.length);
  expect(await cellsOfBoards(system)).toEqual(cellsOfSales(acknowledged));
}, 300_000);

test("a retry of a removed sale becomes a dead letter with its exported id, and counts nothing", async () => {
  const [sale] = old;
  if (sale === undefined) throw new Error("no sale was removed");
  const id = await send(sale);
  const letters = () => tallyJson(system, "dead-letters", "list", "--reason", "late: ");
  await vi.waitFor(async () => expect(await letters()).toMatchObject([{ id, stage: "event", state: "open" }]), 30_000);
  const lines = (await readFile(join(directory, `purchases-${months[0]}.ndjson`), "utf8")).trimEnd().split("\n");
  expect(lines.filter((line) => line.includes(id))).toHaveLength(1);
  expect(await tallyJson(system, "audit")).toMatchObject({ agrees: true });
  expect(await cellsOfBoards(system)).toEqual(cellsOfSales(acknowledged));
}, 120_000);

test("a rebuild keeps the counts of removed sales; their rows are gone", async () => {
  expect((await tally(system, ["rebuild", "--domain", "purchases"])).exitCode).toBe(0);
  expect(await tallyJson(system, "audit")).toMatchObject({ agrees: true });
  expect(await cellsOfBoards(system)).toEqual(cellsOfSales(acknowledged));
  const rows = await fetch(`${system.url}/purchases?storeID=1&date=${dateIn(4)}`);
  expect(await rows.json()).toEqual({ purchases: [], nextCursor: null });
}, 120_000);
