import { accessMigrations } from "@tally/access";
import { migrate, readMigrations } from "@tally/database";
import { deadLetterMigrations } from "@tally/dead-letters";
import { domains } from "@tally/domains";
import { ledgerMigrations } from "@tally/ledger";
import type { Logger } from "@tally/service";

/** Brings the tables of the ledger, the dead letters, the API keys and every domain up to date; answers the names of the files it applied. */
export async function migrateAll(databaseUrl: string, log: Logger): Promise<readonly string[]> {
  const files = await Promise.all([
    readMigrations(ledgerMigrations, "ledger"),
    readMigrations(deadLetterMigrations, "dead-letters"),
    readMigrations(accessMigrations, "access"),
    ...domains.map((domain) => readMigrations(domain.migrations, domain.name)),
  ]);
  return migrate({ url: databaseUrl, log }, files.flat());
}
