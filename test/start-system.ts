import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, recreateTestDatabase } from "@tally/database";
import {
  startPrivateServices,
  startSystem as startLocalSystem,
  type Addresses,
  type PrivateServices,
  type Services,
  type StartOptions,
  type System,
  type SystemOptions,
} from "@tally/local";
import { inject } from "vitest";
import { atEnd } from "./at-end.ts";

const here = join(import.meta.dirname, "..");

type Options = Partial<Pick<SystemOptions<Services>, "root" | "instances" | "environmentOf" | "execArgv">>;

/**
 * Starts the apps as processes on the servers of the run, with an own database, queues and keys. `settings` are environment variables. It
 * stops at the end of the test or of the file.
 */
export function startSystem(settings: NodeJS.ProcessEnv = {}, options: Options = {}): Promise<System> {
  return start(({ namespace }) => servicesOfRun(namespace), settings, options);
}

interface ServerOptions extends Options, Pick<StartOptions, "brokers" | "databaseReplicas" | "redisCluster"> {
  /** Returns the same servers, with addresses at which the apps find them. Default: unchanged. */
  readonly readdress?: (services: PrivateServices) => Promise<PrivateServices>;
}

/** Likewise, on servers that the test may kill, with a cluster of `brokers`, replicas of the database and a Redis Cluster. */
export function startSystemWithServers(
  settings: NodeJS.ProcessEnv = {},
  { brokers = 1, databaseReplicas = 1, redisCluster, readdress, ...options }: ServerOptions = {},
): Promise<System<PrivateServices>> {
  return start(
    async (own) => {
      const sizes = { brokers, databaseReplicas, ...(redisCluster && { redisCluster }) };
      const services = await startPrivateServices({ ...own, ...sizes, redoLogMiB: 64 });
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
  const directory = join(here, ".tally", `test-apps-${namespace}`);
  const system = await startLocalSystem({
    root: here,
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
export async function servicesOfRun(namespace: string): Promise<Services> {
  const { accounts, ...administrator } = inject("services");
  const ownDatabase = (addresses: Addresses): Addresses => {
    const own = (url: string): string => url.replace(/\/tally_test$/, `/tally_test_${namespace}_test`);
    const { databaseWriteUrl, databaseReadUrl } = addresses;
    return { ...addresses, databaseWriteUrl: own(databaseWriteUrl), databaseReadUrl: own(databaseReadUrl) };
  };
  const addresses = ownDatabase(administrator);
  await recreateTestDatabase(addresses.databaseWriteUrl);
  return {
    addresses,
    accounts: {
      gateway: ownDatabase(accounts.gateway),
      writer: ownDatabase(accounts.writer),
      ranker: ownDatabase(accounts.ranker),
      maintenance: ownDatabase(accounts.maintenance),
    },
    source: "environment",
    servers: [],
    stop: () => dropTestDatabase(addresses.databaseWriteUrl),
  };
}
