import { migrate, readMigrations } from "@tally/database";
import { deadLetterMigrations } from "@tally/dead-letters";
import { domains } from "@tally/domains";
import { ledgerMigrations } from "@tally/ledger";
import type { Logger } from "@tally/service";

/** Brings the ledger's and every domain's tables up to date; answers the names of the files it applied. */
export async function migrateAll(databaseUrl: string, log: Logger): Promise<readonly string[]> {
  const files = await Promise.all([
    readMigrations(ledgerMigrations, "ledger"),
    readMigrations(deadLetterMigrations, "dead-letters"),
    ...domains.map((domain) => readMigrations(domain.migrations, domain.name)),
  ]);
  return migrate({ url: databaseUrl, log }, files.flat());
}
