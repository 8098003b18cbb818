import { accessMigrations } from "@tally/access";
import { migrate, readMigrations } from "@tally/database";
import { deadLetterMigrations } from "@tally/dead-letters";
import { domains } from "@tally/domains";
import { ledgerMigrations } from "@tally/ledger";
import { createLogger, readConfigOrExit, systemSettings } from "@tally/service";
import { Command } from "commander";

/** tally migrate: the tables of the ledger, the dead letters, the API keys and every domain. */
export function migrateCommand(): Command {
  return new Command("migrate").description("creates and updates the tables; safe to repeat").action(async () => {
    const { databaseWriteUrl, logLevel } = systemSettings;
    const config = readConfigOrExit({ databaseWriteUrl, logLevel });
    const files = await Promise.all([
      readMigrations(ledgerMigrations, "ledger"),
      readMigrations(deadLetterMigrations, "dead-letters"),
      readMigrations(accessMigrations, "access"),
      ...domains.map((domain) => readMigrations(domain.migrations, domain.name)),
    ]);
    const log = createLogger({ name: "admin", level: config.logLevel });
    const applied = await migrate({ url: config.databaseWriteUrl, log }, files.flat());
    process.stdout.write(
      applied.length === 0 ? "the tables are up to date\n" : applied.map((name) => `applied ${name}\n`).join(""),
    );
  });
}
