import { connectDatabase, type Database } from "@tally/database";
import { domains } from "@tally/domains";
import type { Domain } from "@tally/pipeline";
import { connectRankings, type Rankings } from "@tally/rankings";
import { createLogger, readConfigOrExit, systemSettings, type Config, type Logger } from "@tally/service";
import { CommandError } from "./exit-for-fault.ts";

/** The servers of a system, as a command uses them. */
export interface System {
  readonly config: Config<typeof systemSettings>;
  readonly log: Logger;
  readonly database: Database;
  readonly rankings: Rankings;
  close(): Promise<void>;
}

/** A system's database alone, for commands that need no more. Statements throw a DatabaseError when it does not answer. */
export function openDatabase(): Pick<System, "config" | "log" | "database"> {
  // A command speaks for itself: what the connections have to say is of interest only when something is wrong.
  const config = readConfigOrExit(systemSettings);
  const log = createLogger({ name: "admin", level: process.stdout.isTTY ? "silent" : "error" });
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    writeConnections: 2,
    readConnections: 2,
    queryTimeoutMs: 60_000,
    log,
  });
  return { config, log, database };
}

/** Connects to database and Redis; throws a CommandError when one of them does not answer. */
export async function openSystem(): Promise<System> {
  const { config, log, database } = openDatabase();
  const rankings = connectRankings({
    url: config.redisUrl,
    namespace: config.namespace,
    shards: config.rankingShards,
    commandTimeoutMs: 30_000,
    log,
  });
  const close = async (): Promise<void> => {
    await Promise.all([database.close(), rankings.close()]);
  };
  const absent = await unreachable(database, rankings);
  if (absent !== undefined) {
    await close();
    throw new CommandError(`${absent} does not answer`);
  }
  return { config, log, database, rankings, close };
}

/** All domains, or the named ones. Throws a CommandError for a name that is none. */
export function domainsNamed(names: readonly string[] | undefined): readonly Domain[] {
  if (names === undefined || names.length === 0) return domains;
  return names.map((name) => {
    const found = domains.find((domain) => domain.name === name);
    if (found !== undefined) return found;
    throw new CommandError(`--domain: expected one of ${domains.map((one) => one.name).join(", ")}, got ${name}`, 2);
  });
}

async function unreachable(database: Database, rankings: Rankings): Promise<string | undefined> {
  const { write, read } = await database.ping();
  if (!write) return "the database's write endpoint (DATABASE_WRITE_URL)";
  if (!read) return "the database's read endpoint (DATABASE_READ_URL)";
  try {
    await rankings.instance();
    return undefined;
  } catch {
    return "Redis (REDIS_URL)";
  }
}
