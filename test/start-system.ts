import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, recreateTestDatabase } from "@tally/database";
import {
  startApps,
  startPrivateServices,
  type Accounts,
  type Addresses,
  type Apps,
  type AppsOptions,
  type PrivateServices,
  type Server,
} from "@tally/local";
import { inject } from "vitest";

const here = join(import.meta.dirname, "..");
const say = (): void => undefined;

/** A whole tally, with its own database, queues and keys. */
export interface TestSystem extends Apps {
  /** The checkout that it was started from. */
  readonly root: string;
  readonly namespace: string;
  /** The administrator's. */
  readonly addresses: Addresses;
  /** Those of its apps and of `tally`. */
  readonly accounts: Accounts;
}

/** A system whose servers a test may kill. */
interface SystemWithServers extends TestSystem {
  readonly services: PrivateServices;
  readonly server: (name: string) => Server;
}

type Options = Partial<Pick<AppsOptions, "root" | "instances" | "environmentOf" | "execArgv">>;

/** Starts the apps as processes on the servers of the run. `settings` are environment variables. */
export async function startSystem(settings: NodeJS.ProcessEnv = {}, options: Options = {}): Promise<TestSystem> {
  const namespace = `t${randomBytes(4).toString("hex")}`;
  const { accounts: shared, ...services } = inject("services");
  const addresses = inDatabaseOf(services, namespace);
  const accounts = {
    gateway: inDatabaseOf(shared.gateway, namespace),
    writer: inDatabaseOf(shared.writer, namespace),
    ranker: inDatabaseOf(shared.ranker, namespace),
    maintenance: inDatabaseOf(shared.maintenance, namespace),
  };
  await recreateTestDatabase(addresses.databaseWriteUrl);
  const system = await start({ namespace, addresses, accounts }, settings, options);
  return {
    ...system,
    async stop() {
      await system.stop();
      await dropTestDatabase(addresses.databaseWriteUrl);
    },
  };
}

/** Starts servers, with a cluster of `brokers`, and the apps on them. `stop` deletes all of it. */
export async function startSystemWithServers(
  settings: NodeJS.ProcessEnv = {},
  { brokers = 1, ...options }: Options & { readonly brokers?: number } = {},
): Promise<SystemWithServers> {
  const namespace = `t${randomBytes(4).toString("hex")}`;
  const directory = join(here, ".tally", `test-${namespace}`);
  const services = await startPrivateServices({ directory, database: "tally_test", brokers, say });
  const { addresses, accounts, servers } = services;
  const system = await start({ namespace, addresses, accounts }, settings, options);
  return {
    ...system,
    services,
    server(wanted) {
      const found = servers.find(({ name }) => name === wanted);
      if (found === undefined) throw new Error(`no server ${wanted}`);
      return found;
    },
    async stop() {
      await system.stop();
      await services.stop();
    },
  };
}

async function start(
  place: Pick<TestSystem, "namespace" | "addresses" | "accounts">,
  settings: NodeJS.ProcessEnv,
  { root = here, ...more }: Options,
): Promise<TestSystem> {
  const { namespace, addresses, accounts } = place;
  const directory = join(here, ".tally", `test-apps-${namespace}`);
  const apps = await startApps({
    root,
    directory,
    addresses,
    accounts,
    port: 0,
    environment: {
      PATH: process.env["PATH"],
      NAMESPACE: namespace,
      WRITER_THREADS: "2",
      HEALTH_KEPT_MS: "0",
      ...settings,
    },
    say,
    ...more,
  });
  return {
    ...apps,
    root,
    ...place,
    async stop() {
      await apps.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function inDatabaseOf(addresses: Addresses, namespace: string): Addresses {
  const own = (url: string): string => url.replace(/\/tally_test$/, `/tally_test_${namespace}_test`);
  return {
    ...addresses,
    databaseWriteUrl: own(addresses.databaseWriteUrl),
    databaseReadUrl: own(addresses.databaseReadUrl),
  };
}
