import { createLogger, readConfigOrExit, systemSettings } from "@tally/service";
import { Command } from "commander";
import { migrateAll } from "./migrate-all.ts";

/** tally migrate */
export function migrateCommand(): Command {
  return new Command("migrate").description("creates and updates the tables; safe to repeat").action(async () => {
    const { databaseWriteUrl, logLevel } = systemSettings;
    const config = readConfigOrExit({ databaseWriteUrl, logLevel });
    const applied = await migrateAll(config.databaseWriteUrl, createLogger({ name: "admin", level: config.logLevel }));
    process.stdout.write(
      applied.length === 0 ? "the tables are up to date\n" : applied.map((name) => `applied ${name}\n`).join(""),
    );
  });
}
