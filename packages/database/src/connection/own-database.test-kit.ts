import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, vi } from "vitest";
import { silentLog } from "@tally/runtime";
import { escapeId } from "mysql2";
import { connectDatabase, type Database, type DatabaseOptions } from "./connect-database.ts";
import { closeEarlier, joinEpoch, openEpoch, readEpochs, type Epochs } from "../ledger/epochs.ts";
import type { LedgerTotals } from "../ledger/folds.ts";
import type { SqlReader } from "@tally/contract";
import { migrate, readMigrations } from "./migrate.ts";
import { withConnection } from "./run-statement.ts";

/** A new database for one test file, on both endpoints, with the tables of `migrations`: folders, each with the prefix
 * of its names. */
export function ownDatabase(...migrations: readonly (readonly [folder: URL, prefix: string])[]) {
  const services = inject("services");
  const suffix = `_${randomBytes(6).toString("hex")}_test`;
  const writeUrl = services.databaseWriteUrl + suffix;
  const readUrl = services.databaseReadUrl + suffix;
  const opened: Database[] = [];
  const connect = (options: Partial<DatabaseOptions> = {}) => {
    const defaults = {
      writeUrl,
      readUrl,
      writeConnections: 4,
      readConnections: 2,
      queryTimeoutMs: 20_000,
      log: silentLog,
    };
    const database = connectDatabase({ ...defaults, ...options });
    opened.push(database);
    return database;
  };
  beforeAll(async () => {
    await recreateTestDatabase(writeUrl);
    const read = await Promise.all(migrations.map(([folder, prefix]) => readMigrations(folder, prefix)));
    const applied = await migrate({ url: writeUrl, log: silentLog }, read.flat());
    // The read endpoint may be behind: until it has them, its tables still change.
    const { reader } = connect();
    await vi.waitFor(
      async () =>
        expect(await reader.query("SELECT 1 FROM migrations WHERE name <> 'begun'")).toHaveLength(applied.length),
      30_000,
    );
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await dropTestDatabase(writeUrl);
  });
  return { writeUrl, readUrl, connect };
}

/** Opens an epoch, and closes the one before it unless a transaction shares it. */
export async function nextEpoch(database: Database, domain: string): Promise<Epochs> {
  const read = () => readEpochs(database.writer, domain);
  await openEpoch(database, domain, await read());
  await closeEarlier(database, domain, await read());
  return read();
}

const selectTotals = `
  SELECT CAST(SUM(batches) AS UNSIGNED) AS batches, CAST(SUM(events) AS UNSIGNED) AS events,
    CAST(SUM(changes) AS UNSIGNED) AS changes, CAST(SUM(refused) AS UNSIGNED) AS refused,
    CAST(MAX(newest) AS UNSIGNED) AS newest
  FROM (
    SELECT 0 AS batches, 0 AS events, 0 AS changes, 0 AS refused, 0 AS newest
    UNION ALL SELECT 1, events, changes, refused, stored_at FROM batches WHERE domain = ?
    UNION ALL SELECT batches, events, changes, refused, newest FROM ledger_folds WHERE domain = ?
  ) AS parts`;

/** Counts all batches, folded ones too. */
export async function readTotals(reader: SqlReader, domain: string): Promise<LedgerTotals> {
  const [totals] = await reader.query<LedgerTotals>(selectTotals, [domain, domain]);
  return totals ?? expect.fail();
}

/** A transaction that has joined the newest epoch. Returns its epoch, and a function that commits it. */
export async function holdEpoch(database: Database, domain: string) {
  const [joined, held] = [Promise.withResolvers<number>(), Promise.withResolvers<undefined>()];
  const committed = database.transaction(async (transaction) => {
    joined.resolve((await joinEpoch(transaction, domain)).epoch);
    await held.promise;
  });
  const commit = async (): Promise<void> => {
    held.resolve(undefined);
    await committed;
  };
  return [await joined.promise, commit] as const;
}

/** Creates the database in the URL anew. Rejects unless its name ends in "_test". */
export const recreateTestDatabase = (url: string): Promise<void> =>
  dropTestDatabase(url, (name) => `CREATE DATABASE ${name} DEFAULT CHARSET utf8mb4`);

/** Drops the database in the URL, if it exists. Rejects unless its name ends in "_test". */
export async function dropTestDatabase(url: string, sqlAfter?: (name: string) => string): Promise<void> {
  const server = new URL(url);
  const name = decodeURIComponent(server.pathname.slice(1));
  if (!name.endsWith("_test")) throw new Error(`the name "${name}" does not end in "_test"`);
  server.pathname = "/";
  await withConnection(server.href, 30_000, async (run) => {
    await run(`DROP DATABASE IF EXISTS ${escapeId(name, true)}`);
    if (sqlAfter !== undefined) await run(sqlAfter(escapeId(name, true)));
  });
}
