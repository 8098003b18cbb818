import { connectDatabase, type Database } from "@tally/database";
import { dropTestDatabase, recreateTestDatabase } from "@tally/database/own-database";
import { accountsOf, startPrivateServices, startSystem as startLocalSystem } from "@tally/local";
import type { Addresses, PrivateServices, Services, StartOptions, System, SystemOptions } from "@tally/local";
import { silentLog } from "@tally/runtime";
import { Redis } from "ioredis";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { atEnd } from "@tally/local/at-end";
import { root } from "./programs.ts";

type Options = Partial<
  Pick<SystemOptions<Services>, "root" | "instances" | "environmentOf" | "execArgv" | "gatewayMain">
>;

/** Starts the apps as processes on the servers of the run, with an own database, queues and keys. `settings` are
 * environment variables. It stops at the end of the test or of the file. */
export function startSystem(settings: NodeJS.ProcessEnv = {}, options: Options = {}): Promise<System> {
  return start(({ namespace }) => servicesOfRun(namespace), settings, options);
}

interface ServerOptions extends Options, Pick<StartOptions, "brokers" | "databaseReplicas" | "redisCluster"> {
  /** Returns the same servers, with addresses at which the apps find them. Default: unchanged. */
  readonly readdress?: (services: PrivateServices) => Promise<PrivateServices>;
}

/** Likewise, on servers that the test may kill, with a cluster of `brokers`, replicas of the database and a Redis
 * Cluster. */
export function startSystemWithServers(
  settings: NodeJS.ProcessEnv = {},
  { brokers = 1, databaseReplicas = 1, redisCluster, readdress, ...options }: ServerOptions = {},
): Promise<System<PrivateServices>> {
  return start(
    async (own) => {
      const sizes = { brokers, databaseReplicas, ...(redisCluster && { redisCluster }) };
      const services = await startPrivateServices({ ...own, ...sizes, services: "programs", redoLogMiB: 64 });
      return readdress === undefined ? services : readdress(services);
    },
    settings,
    options,
  );
}

async function start<S extends Services>(
  services: SystemOptions<S>["services"],
  settings: NodeJS.ProcessEnv,
  options: Options,
): Promise<System<S>> {
  const namespace = `t${randomBytes(4).toString("hex")}`;
  const directory = join(inject("runDirectory"), namespace);
  const system = await startLocalSystem({
    root,
    directory,
    database: "tally_test",
    namespace,
    services,
    environment: { PATH: process.env["PATH"], WRITER_THREADS: "2", ...settings },
    say: () => undefined,
    ...options,
  });
  atEnd(async () => {
    await system.stop();
    await rm(directory, { recursive: true, force: true });
  });
  return system;
}

/** Addresses on the servers of the run, with an own database, which `stop()` drops. */
async function servicesOfRun(namespace: string): Promise<Services> {
  const { accounts, ...administrator } = inject("services");
  const ownDatabase = (addresses: Addresses): Addresses => {
    const own = (url: string): string => `${url}_${namespace}_test`;
    const { databaseWriteUrl, databaseReadUrl } = addresses;
    return { ...addresses, databaseWriteUrl: own(databaseWriteUrl), databaseReadUrl: own(databaseReadUrl) };
  };
  const addresses = ownDatabase(administrator);
  await recreateTestDatabase(addresses.databaseWriteUrl);
  return {
    addresses,
    accounts: accountsOf((role) => ownDatabase(accounts[role])),
    source: "environment",
    servers: [],
    stop: () => dropTestDatabase(addresses.databaseWriteUrl),
  };
}

/** Opens a database until the end of the test or of the file; by default with the administrator's account. */
export function openDatabase({
  addresses: { databaseWriteUrl: writeUrl, databaseReadUrl: readUrl },
  queryTimeoutMs = 60_000,
}: {
  readonly addresses: Pick<Addresses, "databaseWriteUrl" | "databaseReadUrl">;
  readonly queryTimeoutMs?: number;
}): Database {
  const pools = { writeConnections: 1, readConnections: 1 };
  const database = connectDatabase({ writeUrl, readUrl, ...pools, queryTimeoutMs, log: silentLog });
  atEnd(() => database.close());
  return database;
}

/** The number of rows; `from` is a table, perhaps with a condition. */
export async function countOf({ writer }: Database, from: string): Promise<number> {
  const [row] = await writer.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${from}`);
  return Number(row?.n);
}

/** Likewise the system's Redis. */
export function openRedis({ addresses }: Pick<System, "addresses">): Redis {
  const redis = new Redis(addresses.redisUrl);
  atEnd(() => redis.disconnect());
  return redis;
}

const sumsOfPurchases = `
  SELECT CONCAT('store:', store_id) AS board, item_id AS member, count
  FROM (
    SELECT store_id, item_id, CAST(SUM(quantity) AS UNSIGNED) AS count,
      ROW_NUMBER() OVER (PARTITION BY store_id ORDER BY SUM(quantity) DESC, item_id) AS place
    FROM purchase_items GROUP BY store_id, item_id
  ) AS items WHERE place <= 100
  UNION ALL
  SELECT CONCAT('item:', item_id), store_id, CAST(SUM(quantity) AS UNSIGNED)
  FROM purchase_items GROUP BY item_id, store_id`;

/** Every cell that the boards should have, from the rows: "board member count", sorted; of a store the first 100. */
export async function cellsOfRows(database: Database): Promise<readonly string[]> {
  const rows = await database.writer.query<{ board: string; member: number; count: number }>(sumsOfPurchases);
  return rows.map(({ board, member, count }) => `${board} ${member} ${count}`).toSorted();
}

/** Every cell that the boards have in Redis, of a store the first 100, read without tally's code. */
export async function cellsOfBoards(
  { namespace, addresses }: Pick<System, "namespace" | "addresses">,
  domain = "purchases",
): Promise<readonly string[]> {
  const redis = new Redis(addresses.redisUrl);
  try {
    const shard = `${namespace}:{${domain}:0:v2}`;
    const generation = `${shard}:${(await redis.get(`${shard}:generation`)) ?? "1"}`;
    const cells: string[] = [];
    for (const key of await redis.keys(`${generation}:b:*`)) {
      const board = key.slice(`${generation}:b:`.length);
      const all = Object.entries(await redis.hgetall(`${generation}:c:${board}`));
      const best = await redis.zrange(key, "0", board.startsWith("store:") ? "99" : "-1", "WITHSCORES");
      const bestOnes = best.flatMap((text, i) => (i % 2 === 0 ? [[text, best[i + 1]] as const] : []));
      for (const [member, score] of all.length > 0 ? all : bestOnes)
        cells.push(`${board} ${member.slice(1)} ${-Number(score)}`);
    }
    return cells.toSorted();
  } finally {
    redis.disconnect();
  }
}
