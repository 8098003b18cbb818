import { randomBytes } from "node:crypto";
import { nextEpoch as nextEpochOf, ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { silentLog, type Log } from "@tally/runtime";
import { addDomains, enter, joinEpoch, ledgerMigrations, retentionMigrations } from "@tally/database";
import { defaultSeries, encodeRankingMessage, Moves } from "@tally/contract";
import type { BatchId, SeriesSettings } from "@tally/contract";
import { encodeMoves, type Rankings } from "@tally/redis";
import { ownRankings } from "@tally/redis/own-rankings";
import { rebuild } from "@tally/reconcile";
import { expect, onTestFinished } from "vitest";
import { Auditor } from "./auditor.ts";

const purchases = domains.find(({ name }) => name === "purchases") ?? expect.fail("there is no domain purchases");
const own = ownDatabase(
  [ledgerMigrations, "ledger"],
  [retentionMigrations, "retention"],
  [purchases.migrations, purchases.name],
);
const { rankings } = ownRankings(1);
const columns = "id, store_id, customer_id, purchased_on, items, producer, sequence";

/** An auditor and a domain of one test, whose rows are those of one store. */
export async function open(storeId: number) {
  const domain = { ...purchases, name: `store-${storeId}` };
  const database = own.connect();
  await database.transaction((transaction) => addDomains(transaction, [domain.name]));
  const seen = { repaired: 0, rebuilt: 0 };
  const lines: string[] = [];
  const line = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`);
  const log: Log = { ...silentLog, info: line("info"), warn: line("warn") };
  return {
    domain,
    database,
    rankings,
    seen,
    lines,
    /** Stores a sale of two pieces of item 5 as a separate batch, without sending its ranking message. `others`: empty
     * batches before it. */
    storeSale: async (storedAt = Date.now(), others = 0) => {
      const [moves, batch] = [new Moves(), { producer: randomBytes(8).toString("hex"), sequence: 0 }];
      moves.add(`store:${storeId}`, "5", 2);
      const message = { batch, storedAt, series: "day,netSales", ...encodeMoves(moves, 1) };
      await database.transaction(async (transaction) => {
        const row = [randomBytes(16), storeId, 1, "20261120", "[[5,2]]", Buffer.from(batch.producer, "hex"), 0];
        await transaction.insert(`INSERT INTO purchases (${columns}) VALUES ?`, [row]);
        const bodyHash = Buffer.alloc(8);
        const { epoch } = await joinEpoch(transaction, domain.name);
        const entry = { batch, domain: domain.name, bodyHash, events: 1, changes: 1, refused: 0, epoch, storedAt };
        const whole = { ...entry, rankingMessage: encodeRankingMessage(message) };
        const producer = "1".padStart(16, "0");
        const empty = { ...whole, events: 0, changes: 0 };
        const before = Array.from({ length: others }, (__, sequence) => ({ ...empty, batch: { producer, sequence } }));
        await enter(transaction, [...before, whole]);
      });
      return message;
    },
    /** Deletes the batch and its row, as a failover to a replica without the commit does. */
    lose: (batch: BatchId) =>
      database.transaction(async (transaction) => {
        const key = [Buffer.from(batch.producer, "hex"), batch.sequence];
        for (const table of ["batches", "purchases"])
          await transaction.execute(`DELETE FROM ${table} WHERE producer = ? AND sequence = ?`, key);
      }),
    nextEpoch: () => nextEpochOf(database, domain.name),
    rebuild: () => rebuild({ domain, database, rankings, endpoint: "write" }),
    count: () => rankings.count(domain.name, `store:${storeId}`, "5"),
    start: (watched: Rankings = rankings, keptMs = 3_600_000, series: SeriesSettings = defaultSeries): Auditor => {
      const auditor = new Auditor({
        domains: [domain],
        database,
        rankings: watched,
        log,
        keptMs,
        series,
        onRepaired: (_, batches) => (seen.repaired += batches),
        onRebuilt: () => (seen.rebuilt += 1),
        onRebuildDelayed: () => undefined,
        onWatched: () => undefined,
        onFoldFailed: (name) => void lines.push(`unfolded ${name}`),
      });
      onTestFinished(() => auditor.stop());
      return auditor;
    },
  };
}

export async function openBuilt(...args: Parameters<typeof open>) {
  const opened = await open(...args);
  await opened.rebuild();
  return opened;
}
