import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { enter, ledgerMigrations, placeAt } from "@tally/database";
import type { NewGeneration } from "@tally/redis";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, test } from "vitest";
import { prune } from "./repair.ts";

const database = ownDatabase([ledgerMigrations, "ledger"]).connect();
const { rankings, build } = ownRankings(1);

/** Stores batches at 1 ms, 2 ms, … */
async function store(domain: string, count: number): Promise<void> {
  const producer = randomBytes(8).toString("hex");
  const entries = Array.from({ length: count }, (_, sequence) => ({
    batch: { producer, sequence },
    domain,
    bodyHash: Buffer.alloc(8),
    events: 1,
    changes: 1,
    refused: 0,
    storedAt: 1 + sequence,
    rankingMessage: Buffer.from("message"),
  }));
  await database.transaction((transaction) => enter(transaction, entries));
}

async function kept(domain: string): Promise<number | undefined> {
  const waiting = "SELECT COUNT(*) AS n FROM batches WHERE domain = ? AND moves IS NOT NULL";
  return (await database.writer.query<{ n: number }>(waiting, [domain]))[0]?.n;
}

test("ranking messages of old batches are removed page by page, those of younger ones are kept", async () => {
  await store("old", 2500);
  const place = await prune({ domain: "old", database, rankings, behind: placeAt(0), until: 2100 });
  expect(place.storedAt).toBe(2100);
  expect(await kept("old")).toBe(400);
});

test("while a process builds a generation nothing is removed; afterwards pruning continues from there", async () => {
  await store("built", 10);
  const generation = await build("built");
  const all = { domain: "built", database, rankings, until: 10 };
  const place = await prune({ ...all, behind: placeAt(0) });
  expect(await kept("built")).toBe(10);
  await generation.release();
  await prune({ ...all, behind: place });
  expect(await kept("built")).toBe(0);
});

test("pruning stops when a process begins to build", async () => {
  await store("begun", 2500);
  let generation: NewGeneration | undefined;
  const place = await prune({
    domain: "begun",
    database,
    rankings: {
      async isBuilding(domain) {
        const building = await rankings.isBuilding(domain);
        generation ??= await build(domain);
        return building;
      },
    },
    behind: placeAt(0),
    until: 2500,
  });
  await generation?.release();
  expect([place.storedAt, await kept("begun")]).toEqual([1000, 1500]);
});
