import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { clockOf, enter, ledgerMigrations, placeAt } from "@tally/database";
import { Moves, type BatchId } from "@tally/contract";
import { encodeMoves, type NewGeneration } from "@tally/redis";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, test } from "vitest";
import { prune } from "./repair.ts";

const database = ownDatabase([ledgerMigrations, "ledger"]).connect();
const { namespace, redis, rankings, build } = ownRankings(1);

/** Stores batches in epochs 1, 2, … at 1 ms, 2 ms, … and marks them. */
async function store(domain: string, count: number): Promise<string> {
  const producer = randomBytes(8).toString("hex");
  for (let sequence = 0; sequence < count; sequence++) await rank(domain, { producer, sequence });
  const entries = Array.from({ length: count }, (_, sequence) => ({
    batch: { producer, sequence },
    domain,
    bodyHash: Buffer.alloc(8),
    events: 1,
    changes: 1,
    refused: 0,
    epoch: 1 + sequence,
    storedAt: 1 + sequence,
    rankingMessage: Buffer.from("message"),
  }));
  await database.transaction((transaction) => enter(transaction, entries));
  return producer;
}

const rank = (domain: string, batch: BatchId) =>
  rankings.rank(domain, { batch, storedAt: 1, ...encodeMoves(new Moves(), 1) });

async function kept(domain: string): Promise<number | undefined> {
  const waiting = "SELECT COUNT(*) AS n FROM batches WHERE domain = ? AND moves IS NOT NULL";
  return (await database.writer.query<{ n: number }>(waiting, [domain]))[0]?.n;
}

test("ranking messages of old batches are removed page by page, those of younger ones are kept", async () => {
  await store("old", 2500);
  const place = await prune({ domain: "old", database, rankings, behind: placeAt(0), until: 2100, keptMs: 0 });
  expect(place.epoch).toBe(2100);
  expect(await kept("old")).toBe(400);
});

test("a message is kept until its time by the database's clock, and while its batch has no mark", async () => {
  const producer = await store("young", 3);
  const now = await clockOf(database.writer);
  await database.transaction(async (transaction) => {
    await transaction.execute("UPDATE batches SET stored_at = ? WHERE domain = 'young' AND epoch = 3", [now]);
  });
  const prefix = `${namespace}:{young:0:v2}:1:applied:${producer}`;
  await redis.setbit(prefix, 1, 0);
  const all = { domain: "young", database, rankings, behind: placeAt(0), until: 3 };
  expect((await prune({ ...all, keptMs: 60_000 })).epoch).toBe(2);
  expect(await kept("young")).toBe(2);
  await redis.setbit(prefix, 1, 1);
  expect((await prune({ ...all, keptMs: -60_000 })).epoch).toBe(3);
  expect(await kept("young")).toBe(0);
});

test("while a process builds a generation nothing is removed; afterwards pruning continues from there", async () => {
  await store("built", 10);
  const generation = await build("built");
  const all = { domain: "built", database, rankings, until: 10, keptMs: 0 };
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
      ...rankings,
      async isBuilding(domain) {
        const building = await rankings.isBuilding(domain);
        generation ??= await build(domain);
        return building;
      },
    },
    behind: placeAt(0),
    until: 2500,
    keptMs: 0,
  });
  await generation?.release();
  expect([place.epoch, await kept("begun")]).toEqual([1000, 1500]);
});
