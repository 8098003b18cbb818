import { join } from "node:path";
import { type AppsOptions, startApps } from "./start-apps.ts";
import type { Server } from "./process/child-server.ts";
import { addressVariables } from "./services/addresses.ts";
import type { Services, StartOptions } from "./services/services.ts";

type OwnServices = Pick<StartOptions, "database" | "directory" | "say"> & { readonly namespace: string };

export interface SystemOptions<S extends Services> extends OwnServices, Omit<AppsOptions, "addresses" | "accounts"> {
  /** Logs, and data of servers: the servers' in `services/`, the apps' in `apps/`. */
  readonly directory: string;
  /** Starts the servers, e.g. `startPrivateServices`, or returns running ones. The system's `stop()` calls theirs. */
  readonly services: (options: OwnServices & Pick<AppsOptions, "signal" | "waits">) => Promise<S>;
}

/** A running tally: servers and apps, with a database and a namespace. */
export type System<S extends Services = Services> = Awaited<ReturnType<typeof startSystem<S>>>;

/** Starts the servers, then the apps. Resolves when all are ready. After a failure, stops everything that it has
 * started. */
export async function startSystem<S extends Services>(options: SystemOptions<S>) {
  const { root, database, namespace, say, signal, waits } = options;
  const directory = join(options.directory, "services");
  await using started = new AsyncDisposableStack();
  const services = await options.services({ directory, database, namespace, say, signal, waits });
  started.defer(() => services.stop());
  const { addresses, accounts } = services;
  const environment: NodeJS.ProcessEnv = { ...options.environment, NAMESPACE: namespace };
  signal?.throwIfAborted();
  const apps = await startApps({
    ...options,
    directory: join(options.directory, "apps"),
    addresses,
    accounts,
    environment,
  });
  started.defer(() => apps.stop());
  const all = started.move();
  let stopped: Promise<void> | undefined;
  const processes = [...apps.gateways, ...apps.writers, ...apps.rankers, ...services.servers];
  return {
    ...apps,
    root,
    namespace,
    services,
    /** The process of an app or of a private server. Throws for an unknown name. */
    server(name: string): Server {
      const found = processes.find((one) => one.name === name);
      if (found === undefined) throw new TypeError(`there is no process ${name}`);
      return found;
    },
    /** With the administrator's account. */
    addresses,
    /** With the accounts of its apps and of `tally`. */
    accounts,
    /** Variables with which `tally` works on this system, as the administrator. */
    environment: { ...environment, ...addressVariables(addresses) },
    stop: () => (stopped ??= all.disposeAsync()),
  };
}
