import { join } from "node:path";
import { type Apps, type AppsOptions, startApps } from "./start-apps.ts";
import type { Server } from "./process/child-server.ts";
import { type Accounts, type Addresses, addressVariables } from "./services/addresses.ts";
import type { Services, StartOptions } from "./services/services.ts";

type OwnServices = Pick<StartOptions, "database" | "directory" | "say"> & { readonly namespace: string };

export interface SystemOptions<S extends Services> extends OwnServices, Omit<AppsOptions, "addresses" | "accounts"> {
  /** Logs, and data of servers: the servers' in `services/`, the apps' in `apps/`. */
  readonly directory: string;
  /** Starts the servers, e.g. `startPrivateServices`, or returns running ones. The system's `stop()` calls theirs. */
  readonly services: (options: OwnServices & Pick<AppsOptions, "signal" | "waits">) => Promise<S>;
}

/** A running tally: servers and apps, with a database and a namespace. */
export interface System<S extends Services = Services> extends Apps {
  readonly root: string;
  readonly namespace: string;
  readonly services: S;
  /** The process of an app or of a private server. Throws for an unknown name. */
  server(name: string): Server;
  /** Addresses with the administrator's account. */
  readonly addresses: Addresses;
  /** Addresses with the accounts of its apps and of `tally`. */
  readonly accounts: Accounts;
  /** Environment variables with which `tally` works on this system, as the administrator. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Starts the servers, then the apps. Resolves when all are ready. After a failure, stops everything that it has
 * started. */
export async function startSystem<S extends Services>(options: SystemOptions<S>): Promise<System<S>> {
  const { root, database, namespace, say, signal, waits } = options;
  const directory = join(options.directory, "services");
  const services = await options.services({ directory, database, namespace, say, signal, waits });
  const { addresses, accounts } = services;
  const environment = { ...options.environment, NAMESPACE: namespace };
  try {
    signal?.throwIfAborted();
    const apps = await startApps({
      ...options,
      directory: join(options.directory, "apps"),
      addresses,
      accounts,
      environment,
    });
    const processes = [...apps.gateways, ...apps.writers, ...apps.rankers, ...services.servers];
    return {
      ...apps,
      root,
      namespace,
      services,
      server(name) {
        const found = processes.find((one) => one.name === name);
        if (found === undefined) throw new TypeError(`there is no process ${name}`);
        return found;
      },
      addresses,
      accounts,
      environment: { ...environment, ...addressVariables(addresses) },
      async stop() {
        await apps.stop();
        await services.stop();
      },
    };
  } catch (error) {
    await services.stop();
    throw error;
  }
}
