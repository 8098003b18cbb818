import { createLogger, readConfigOrExit, systemSettings } from "@tally/service";
import { migrateAll } from "./migrate-all.ts";

const [command, ...rest] = process.argv.slice(2);

if (command !== "migrate" || rest.length > 0) {
  process.stderr.write("usage: tally migrate    creates and updates the tables at DATABASE_WRITE_URL\n");
  process.exit(2);
}

const { databaseWriteUrl, logLevel } = systemSettings;
const config = readConfigOrExit({ databaseWriteUrl, logLevel });
const applied = await migrateAll(config.databaseWriteUrl, createLogger({ name: "admin", level: config.logLevel }));
process.stdout.write(
  applied.length === 0 ? "the tables are up to date\n" : applied.map((name) => `applied ${name}\n`).join(""),
);
