import { setTimeout as delay } from "node:timers/promises";
import { connectPublisher, type Publisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { domains } from "@tally/domains";
import { connectDatabase, type Database } from "@tally/database";
import { connectRankings, isRedisAway, type Rankings } from "@tally/redis";
import { createLogger, readConfigOrExit, systemSettings, type Config, type Logger } from "@tally/runtime";
import { CommandError, exitCodes } from "./command.ts";

interface DatabaseAlone {
  readonly config: Config<typeof systemSettings>;
  readonly log: Logger;
  readonly database: Database;
}

/** The servers of a running tally, as a command uses them. */
export interface Servers extends DatabaseAlone {
  readonly rankings: Rankings;
}

// stdout has the result only.
export const stderr = { write: (line: string): void => void process.stderr.write(line) };

/** Runs a command on the database. `level`: of connections' logs; silent on a terminal, as commands print errors. */
export async function withDatabase<T>(
  use: (servers: DatabaseAlone) => Promise<T>,
  level: "error" | "silent" = process.stderr.isTTY ? "silent" : "error",
): Promise<T> {
  const config = readConfigOrExit(systemSettings);
  const log = createLogger({ name: "admin", level, destination: stderr });
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    writeConnections: 2,
    readConnections: 2,
    queryTimeoutMs: 60_000,
    log,
  });
  try {
    return await use({ config, log, database });
  } finally {
    await database.close();
  }
}

/** Runs a command on database and Redis. Throws a CommandError when one of them does not respond. */
export function withServers<T>(use: (servers: Servers) => Promise<T>): Promise<T> {
  return withDatabase(async (alone) => {
    const { config, log, database } = alone;
    const rankings = connectRankings({
      url: config.redisUrl,
      namespace: config.namespace,
      shards: config.rankingShards,
      domains,
      commandTimeoutMs: 30_000,
      log,
    });
    try {
      const absent = await unreachable(database, rankings);
      if (absent !== undefined) throw notResponding(absent);
      return await use({ ...alone, rankings });
    } catch (error) {
      throw isRedisAway(error) ? notResponding(redisName) : error;
    } finally {
      await rankings.close();
    }
  });
}

/** Runs a part of a command on the queues of domains, after at most `withinMs` for the connection. `fault`: why it
 * failed for good: a queue has other arguments. */
export async function withBroker<T>(
  { config, log }: Pick<DatabaseAlone, "config" | "log">,
  { name, domains: names, withinMs }: { name: string; domains: readonly string[]; withinMs: number },
  use: (broker: Publisher, fault: string | undefined) => Promise<T>,
): Promise<T> {
  const queues = names.flatMap((domain) => Object.values(queuesOf(config.namespace, domain)));
  const broker = connectPublisher({ url: config.amqpUrl, connectionName: `tally ${name}`, queues, log });
  try {
    const ready = broker.ready.then(
      () => undefined,
      ({ message }: Error) => message,
    );
    return await use(broker, await Promise.race([ready, delay(withinMs, undefined, { ref: false })]));
  } finally {
    await broker.close();
  }
}

const redisName = "Redis (REDIS_URL)";

const notResponding = (server: string) => new CommandError(`${server} does not respond`, exitCodes.unreachable);

async function unreachable(database: Database, rankings: Rankings): Promise<string | undefined> {
  const [write, read] = await Promise.all([database.responds("write"), database.responds("read")]);
  if (!write) return "the database's write endpoint (DATABASE_WRITE_URL)";
  if (!read) return "the database's read endpoint (DATABASE_READ_URL)";
  try {
    await rankings.instance();
    return undefined;
  } catch {
    return redisName;
  }
}
