import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, recreateTestDatabase } from "@tally/database";
import { startApps, type Accounts, type Addresses, type Apps, type AppsOptions } from "@tally/local";
import { inject } from "vitest";

const here = join(import.meta.dirname, "..");

/** A whole tally of its own on the run's servers: own database, own queues, own keys. */
export interface TestSystem extends Apps {
  /** The checkout that it was started from. */
  readonly root: string;
  readonly namespace: string;
  /** The administrator's. */
  readonly addresses: Addresses;
  /** Those of its apps and of `tally`. */
  readonly accounts: Accounts;
}

/** Starts gateway, writer and ranker as the processes they are in production, of this checkout or another. `settings` are environment variables. */
export async function startSystem(
  settings: NodeJS.ProcessEnv = {},
  { root = here, ...more }: Partial<Pick<AppsOptions, "root" | "instances" | "environmentOf" | "execArgv">> = {},
): Promise<TestSystem> {
  const namespace = `t${randomBytes(4).toString("hex")}`;
  const { accounts: shared, ...services } = inject("services");
  const addresses = ownDatabase(services, namespace);
  const accounts = {
    gateway: ownDatabase(shared.gateway, namespace),
    writer: ownDatabase(shared.writer, namespace),
    ranker: ownDatabase(shared.ranker, namespace),
    maintenance: ownDatabase(shared.maintenance, namespace),
  };
  const directory = join(here, ".tally", `test-apps-${namespace}`);
  await recreateTestDatabase(addresses.databaseWriteUrl);
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
    say: () => undefined,
    ...more,
  });
  return {
    ...apps,
    root,
    namespace,
    addresses,
    accounts,
    async stop() {
      await apps.stop();
      await dropTestDatabase(addresses.databaseWriteUrl);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function ownDatabase(addresses: Addresses, namespace: string): Addresses {
  const own = (url: string): string => url.replace(/\/tally_test$/, `/tally_test_${namespace}_test`);
  return {
    ...addresses,
    databaseWriteUrl: own(addresses.databaseWriteUrl),
    databaseReadUrl: own(addresses.databaseReadUrl),
  };
}
