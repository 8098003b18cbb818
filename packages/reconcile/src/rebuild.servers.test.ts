import { createHash, randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { addDomains, closeEarlier, enter, joinEpoch, ledgerMigrations, openEpoch, readEpochs } from "@tally/database";
import { encodeRankingMessage, Moves, type BatchId } from "@tally/contract";
import { encodeMoves, type NewGeneration } from "@tally/redis";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, test, vi } from "vitest";
import { rebuild } from "./rebuild.ts";

const database = ownDatabase([ledgerMigrations, "ledger"]).connect();
const { namespace, redis, rankings, connect, build } = ownRankings(1);

/** Commits a batch with one move, as a writer does; nothing ranks it. `before`: what its commit waits for. */
async function commitBatch(domain: string, before: Promise<void> = Promise.resolve()): Promise<BatchId> {
  const batch = { producer: randomBytes(8).toString("hex"), sequence: 0 };
  const moves = new Moves();
  moves.add("board", "1", 1);
  const rankingMessage = encodeRankingMessage({ batch, storedAt: 0, ...encodeMoves(moves, 1) });
  const bodyHash = createHash("sha256").update(batch.producer).digest().subarray(0, 8);
  await database.transaction(async (transaction) => {
    const { epoch } = await joinEpoch(transaction, domain);
    const entry = { batch, domain, bodyHash, events: 1, changes: 1, refused: 0, epoch, storedAt: 0, rankingMessage };
    await enter(transaction, [entry]);
    await before;
  });
  return batch;
}

/** Rebuilds a domain without rows. `change`: replaces steps of its new generation. */
async function rebuildWith(domain: string, change: (generation: NewGeneration) => Partial<NewGeneration>) {
  await database.transaction((transaction) => addDomains(transaction, [domain]));
  return rebuild({
    domain: { name: domain, recount: { boards: [] } },
    database,
    rankings: {
      ...rankings,
      async build(name) {
        const generation = await build(name);
        return { ...generation, ...change(generation) };
      },
    },
  });
}

test("a batch that is committed after the snapshot is ranked before the switch", async () => {
  let atSwitch: readonly BatchId[] = [];
  const committed: BatchId[] = [];
  const outcome = await rebuildWith("during", (generation) => ({
    async loaded(asOf) {
      await generation.loaded(asOf);
      committed.push(await commitBatch("during"));
    },
    async switch() {
      atSwitch = await generation.unmarked("during", committed);
      return generation.switch();
    },
  }));
  expect(outcome).toMatchObject({ name: "rebuilt", ranked: 1 });
  expect(atSwitch).toEqual([]);
  expect(await rankings.count("during", "board", "1")).toBe(1);
});

test("batches that are committed at the switch are ranked after it, whenever their transactions began", async () => {
  const domain = "at-switch";
  await database.transaction((transaction) => addDomains(transaction, [domain]));
  const old = Promise.withResolvers<void>();
  const committed = commitBatch(domain, old.promise);
  await vi.waitFor(async () => {
    await openEpoch(database, domain, await readEpochs(database.writer, domain));
    await closeEarlier(database, domain, await readEpochs(database.writer, domain));
    expect((await readEpochs(database.writer, domain)).earlier.isOpen).toBe(true);
  }, 10_000);
  await rebuildWith(domain, (generation) => ({
    async switch() {
      old.resolve();
      await committed;
      await commitBatch(domain);
      return generation.switch();
    },
  }));
  expect(await rankings.count(domain, "board", "1")).toBe(2);
});

test("rankings that Redis has lost are rebuilt with their number of shards, whatever the setting", async () => {
  const domain = { name: "sharded", recount: { boards: [] } };
  await database.transaction((transaction) => addDomains(transaction, [domain.name]));
  await rebuild({ domain, database, rankings, shards: 4 });
  await redis.unlink(await redis.keys(`${namespace}:{${domain.name}:*`));
  const restarted = connect();
  expect(await restarted.shards(domain.name)).toBe(1);
  await rebuild({ domain, database, rankings: restarted });
  expect(await restarted.shards(domain.name)).toBe(4);
});
