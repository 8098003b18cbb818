import { accessMigrations } from "@tally/access";
import { connectDatabase, migrate, readMigrations, deadLetterMigrations, addDomains } from "@tally/database";
import { ledgerMigrations, retentionMigrations } from "@tally/database";
import { domains } from "@tally/domains";
import { type Log, createLogger, readConfigOrExit, systemSettings } from "@tally/runtime";
import type { Command } from "commander";
import { newCommand } from "./command.ts";
import { jsonFlag, print, type JsonFlag } from "./flags.ts";
import { stderr } from "./open-servers.ts";

/** tally migrate: the tables of the ledger, the dead letters, the API keys, retention and every domain. */
export function migrateCommand(): Command {
  return newCommand("migrate", { 1: "a migration failed", 3: "the database does not respond" })
    .description("creates and updates the tables; safe to repeat")
    .addOption(jsonFlag)
    .action(async (flags: JsonFlag) => {
      const { databaseWriteUrl, logLevel } = systemSettings;
      const config = readConfigOrExit({ databaseWriteUrl, logLevel });
      const files = await Promise.all([
        readMigrations(ledgerMigrations, "ledger"),
        readMigrations(deadLetterMigrations, "dead-letters"),
        readMigrations(accessMigrations, "access"),
        readMigrations(retentionMigrations, "retention"),
        ...domains.map((domain) => readMigrations(domain.migrations, domain.name)),
      ]);
      const log = createLogger({ name: "admin", level: config.logLevel, destination: stderr });
      const applied = await migrate({ url: config.databaseWriteUrl, log }, files.flat());
      await addRows(config.databaseWriteUrl, log);
      const text = applied.length === 0 ? "the tables are up to date\n" : applied.map((name) => `applied ${name}\n`);
      print(flags, { applied }, [text].flat().join(""));
    });
}

/** The rows that the apps only change. */
async function addRows(url: string, log: Log): Promise<void> {
  const pools = { writeUrl: url, readUrl: url, writeConnections: 1, readConnections: 1 };
  const database = connectDatabase({ ...pools, queryTimeoutMs: 60_000, log });
  try {
    const names = domains.map(({ name }) => name);
    await database.transaction((transaction) => addDomains(transaction, names), { giveUpAfterMs: 60_000 });
  } finally {
    await database.close();
  }
}
