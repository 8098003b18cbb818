import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { silentLog, type Log } from "@tally/runtime";
import {
  addDomains,
  enter,
  keepShards,
  ledgerMigrations,
  pruneRankingMessages,
  readShards,
  retentionMigrations,
} from "@tally/database";
import { encodeRankingMessage, Moves } from "@tally/contract";
import { connectRankings, encodeMoves, type Rankings } from "@tally/redis";
import { goLive } from "@tally/redis/own-rankings";
import { rebuild } from "@tally/reconcile";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { Auditor } from "./auditor.ts";

const purchases = domains.find(({ name }) => name === "purchases") ?? expect.fail("there is no domain purchases");
const own = ownDatabase(
  [ledgerMigrations, "ledger"],
  [retentionMigrations, "retention"],
  [purchases.migrations, purchases.name],
);
const columns = "id, store_id, customer_id, purchased_on, items, producer, sequence";

/** A domain of this test, whose rows are those of one store. */
function open(storeId: number) {
  const domain = { ...purchases, name: `store-${storeId}` };
  const database = own.connect();
  const namespace = randomBytes(6).toString("hex");
  const { redisUrl: url } = inject("services");
  const rankings = connectRankings({ url, namespace, shards: 1, domains: [], log: silentLog });
  onTestFinished(() => rankings.close());
  const seen = { repaired: 0, rebuilt: 0 };
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (_, message) => void lines.push(`info ${message}`),
    warn: (_, message) => void lines.push(`warn ${message}`),
  };
  return {
    domain,
    database,
    rankings,
    seen,
    lines,
    /** Stores a sale of two pieces of item 5 as a separate batch, without sending its ranking message. */
    storeSale: async (storedAt: number) => {
      const batch = { producer: randomBytes(8).toString("hex"), sequence: 0 };
      const moves = new Moves();
      moves.add(`store:${storeId}`, "5", 2);
      const message = { batch, storedAt, ...encodeMoves(moves, 1) };
      await database.transaction(async (transaction) => {
        const row = [randomBytes(16), storeId, 1, "20261120", "[[5,2]]", Buffer.from(batch.producer, "hex"), 0];
        await transaction.insert(`INSERT INTO purchases (${columns}) VALUES ?`, [row]);
        const bodyHash = Buffer.alloc(8);
        const entry = { batch, domain: domain.name, bodyHash, events: 1, changes: 1, refused: 0, storedAt };
        await enter(transaction, [{ ...entry, rankingMessage: encodeRankingMessage(message) }]);
      });
      return message;
    },
    rebuild: () => rebuild({ domain, database, rankings }),
    count: () => rankings.count(domain.name, `store:${storeId}`, "5"),
    start: (watched: Rankings = rankings): void => {
      const auditor = new Auditor({
        domains: [domain],
        database,
        rankings: watched,
        log,
        messagesKeptMs: 3_600_000,
        onRepaired: (_, batches) => (seen.repaired += batches),
        onRebuilt: () => (seen.rebuilt += 1),
      });
      onTestFinished(() => auditor.stop());
    },
  };
}

const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;

test("a batch whose ranking message was lost is ranked from the ledger, and a late message does nothing", async () => {
  const { domain, rankings, seen, storeSale, rebuild: build, count, start } = open(1);
  await build();
  const message = await storeSale(minutesAgo(1));
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 1, rebuilt: 0 }), 10_000);
  expect(await rankings.rank(domain.name, message)).toBe(false);
  expect(await count()).toBe(2);
});

// A later release may write "v":3, and be rolled back before its messages were ranked.
const laterVersion = "UPDATE batches SET moves = CONCAT('{\"v\":3', SUBSTRING(moves, 7)) WHERE producer = ?";

test.each([
  [2, "a Redis that has lost everything", "lost"],
  [3, "a batch that is not ranked and whose ranking message was pruned", "pruned"],
  [9, "a batch that is not ranked and whose ranking message is of a later release", "later"],
])("the rankings of store %i are rebuilt from the rows after %s", async (storeId, _, what) => {
  const { domain, database, rankings, seen, storeSale, rebuild: build, count, start } = open(storeId);
  if (what !== "lost") await build();
  const message = await storeSale(minutesAgo(1));
  await database.transaction(async (transaction) => {
    if (what === "pruned") await pruneRankingMessages(transaction, [message.batch]);
    if (what === "later") await transaction.execute(laterVersion, [Buffer.from(message.batch.producer, "hex")]);
  });
  start();
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 0, rebuilt: 1 }), 10_000);
  expect(await rankings.rank(domain.name, message)).toBe(false);
  expect(await count()).toBe(2);
});

test("the first rankings of a domain are logged as info, a rebuild of lost rankings as a warning", async () => {
  const empty = open(5);
  empty.start();
  await vi.waitFor(() => expect(empty.seen.rebuilt).toBe(1), 10_000);
  expect(empty.lines).toEqual([
    "info auditor: building the rankings of store-5 from the rows",
    "info auditor: rankings rebuilt",
  ]);
  const lost = open(6);
  await lost.storeSale(minutesAgo(1));
  lost.start();
  await vi.waitFor(() => expect(lost.seen.rebuilt).toBe(1), 10_000);
  expect(lost.lines[0]).toBe("warn auditor: rebuilding the rankings of store-6 from the rows");
});

test("what was checked in this run of Redis is not checked again, and all of it is after a restart", async () => {
  const { domain, rankings, seen, storeSale, rebuild: build, count, start } = open(4);
  await build();
  const instance = await rankings.instance();
  const noted = minutesAgo(5);
  await rankings.noteChecked(domain.name, instance, noted);
  await storeSale(minutesAgo(10));
  start();
  await vi.waitFor(
    async () => expect(await rankings.checkedUntil(domain.name, instance)).toBeGreaterThan(noted),
    10_000,
  );
  expect([await count(), seen]).toEqual([0, { repaired: 0, rebuilt: 0 }]);
  start({ ...rankings, instance: async () => "the run id after a restart" });
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 1, rebuilt: 0 }), 10_000);
  expect(await count()).toBe(2);
});

test("after a failover of Redis the newest batches are ranked first, before the whole ledger is read", async () => {
  const { domain, rankings, seen, storeSale, rebuild: build, start } = open(10);
  await build();
  const ranked: number[] = [];
  let instance = await rankings.instance();
  start({
    ...rankings,
    instance: async () => instance,
    rank(name, message) {
      ranked.push(message.storedAt);
      return rankings.rank(name, message);
    },
  });
  const checked = () => rankings.checkedUntil(domain.name, instance);
  await vi.waitFor(async () => expect(await checked()).toBeGreaterThan(minutesAgo(1)), 10_000);
  const [old, recent] = [await storeSale(minutesAgo(10)), await storeSale(minutesAgo(0.5))];
  instance = "the run id of another master";
  await vi.waitFor(() => expect(seen.repaired).toBe(2), 10_000);
  expect(ranked).toEqual([recent.storedAt, old.storedAt]);
});

test("when the database has lost ranked batches they are rebuilt, also if others were ranked since", async () => {
  const { domain, database, rankings, seen, storeSale, rebuild: build, count, start, lines } = open(7);
  await build();
  const [kept, lost] = [await storeSale(minutesAgo(3)), await storeSale(minutesAgo(2))];
  for (const message of [kept, lost]) await rankings.rank(domain.name, message);
  start();
  await vi.waitFor(async () => expect((await rankings.newest(domain.name)).inLedger).toBe(lost.storedAt), 10_000);
  await database.transaction(async (transaction) => {
    const batch = [Buffer.from(lost.batch.producer, "hex"), lost.batch.sequence];
    for (const table of ["batches", "purchases"])
      await transaction.execute(`DELETE FROM ${table} WHERE producer = ? AND sequence = ?`, batch);
  });
  await rankings.rank(domain.name, await storeSale(minutesAgo(1)));
  expect(await count()).toBe(6);
  await vi.waitFor(() => expect(seen).toEqual({ repaired: 0, rebuilt: 1 }), 30_000);
  expect(await count()).toBe(4);
  expect(lines[0]).toBe("warn auditor: rebuilding the rankings of store-7 from the rows");
});

test("the number of shards of rankings that an earlier release has built is kept in the database", async () => {
  const { domain, database, rankings, start } = open(8);
  await database.transaction((transaction) => addDomains(transaction, [domain.name]));
  await goLive((await rankings.build(domain.name, 3)) ?? expect.fail("another one builds"), 0);
  start();
  const kept = () => readShards(database.writer, domain.name);
  await vi.waitFor(async () => expect(await kept()).toBe(3), 10_000);
  // The same after a failover to a replica without the last commits.
  await database.transaction((transaction) => keepShards(transaction, domain.name, 1));
  await vi.waitFor(async () => expect(await kept()).toBe(3), 15_000);
});
