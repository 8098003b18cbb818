import { join } from "node:path";
import { type Apps, type AppsOptions, startApps } from "./apps/start-apps.ts";
import { type Accounts, type Addresses, addressVariables } from "./services/addresses.ts";
import type { Services } from "./services/services.ts";

/** What `startSystem` passes to the function that starts the servers. */
export interface ServicesOptions {
  readonly directory: string;
  readonly database: string;
  readonly namespace: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

export interface SystemOptions<S extends Services> extends Omit<
  AppsOptions,
  "addresses" | "accounts" | "environmentOf"
> {
  /** For logs and data: the servers' in `services/`, the apps' in `apps/`. */
  readonly directory: string;
  readonly database: string;
  readonly namespace: string;
  /** Starts the servers, e.g. `startPrivateServices`, or returns running ones. The system's `stop()` calls theirs. */
  readonly services: (options: ServicesOptions) => Promise<S>;
  /** As in AppsOptions, with the servers. */
  readonly environmentOf?: (
    ...args: [...Parameters<NonNullable<AppsOptions["environmentOf"]>>, S]
  ) => NodeJS.ProcessEnv;
}

/** A running tally: servers and apps, with a database and a namespace. */
export interface System<S extends Services = Services> extends Apps {
  /** The checkout that it was started from. */
  readonly root: string;
  readonly namespace: string;
  readonly services: S;
  /** Of the administrator. */
  readonly addresses: Addresses;
  /** Of its apps and of `tally`. */
  readonly accounts: Accounts;
  /** Environment variables with which `tally` works on this system, as the administrator. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Starts the servers, then the apps. Resolves when all are ready. After a failure, everything that was started is stopped again. */
export async function startSystem<S extends Services>(options: SystemOptions<S>): Promise<System<S>> {
  const { root, database, namespace, environmentOf, say, signal } = options;
  const directory = join(options.directory, "services");
  const services = await options.services({ directory, database, namespace, say, signal });
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
      environmentOf: (app, index) => environmentOf?.(app, index, services) ?? {},
    });
    let stopped: Promise<void> | undefined;
    return {
      ...apps,
      root,
      namespace,
      services,
      addresses,
      accounts,
      environment: { ...environment, ...addressVariables(addresses) },
      stop: () => (stopped ??= apps.stop().finally(() => services.stop())),
    };
  } catch (error) {
    await services.stop();
    throw error;
  }
}
