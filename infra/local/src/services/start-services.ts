import { resolve } from "node:path";
import { lockDirectory } from "../process/directory-lock.ts";
import { endLeftovers } from "../process/leftovers.ts";
import { ServiceError } from "../process/service-error.ts";
import { Waits } from "../process/waits.ts";
import { openContext } from "../servers/context.ts";
import { sameForAll } from "./addresses.ts";
import { fromDocker } from "./from-docker.ts";
import { fromEnvironment } from "./from-environment.ts";
import { fromPrograms } from "./from-programs.ts";
import { installedPrograms } from "./installed-programs.ts";
import type { Operator, Services, StartOptions } from "./services.ts";

/**
 * Returns running services, from the first source that has them: addresses in the environment; Docker Compose; servers installed on
 * this machine, which are installed first where that is possible. Resolves when all of them serve. Throws `ServiceError`.
 * They run until the caller calls `stop()`, regardless of Ctrl-C.
 */
export async function startServices(options: StartOptions): Promise<Services> {
  const environment = options.environment ?? process.env;
  const given = fromEnvironment(environment);
  if (given)
    return {
      addresses: given,
      accounts: sameForAll(given),
      source: "environment",
      servers: [],
      stop: async () => undefined,
    };

  if (!/^[A-Za-z0-9_]{1,40}$/.test(options.database))
    throw new TypeError(`not a valid database name: ${options.database}`);
  const { say, waits = new Waits(), configuration, redoLogMiB, brokers = 1, databaseReplicas = 1 } = options;
  const namespace = plainName.test(options.namespace ?? "") ? options.namespace : undefined;
  const directory = resolve(options.directory);
  const release = await lockDirectory(directory);
  try {
    const services = await whileInterruptible(async (signal) => {
      await waits.during("servers of an earlier run to stop", () => endLeftovers(directory, say));
      const isSingle = brokers === 1 && databaseReplicas === 1 && options.redisCluster === undefined;
      const mayUseDocker = options.docker !== "never" && isSingle;
      const docker = mayUseDocker
        ? await fromDocker({ ...options, namespace, directory, environment, signal, waits })
        : undefined;
      if (docker) return docker;
      const programs = await installedPrograms({ environment, say, signal });
      const context = await openContext(directory, environment, { say, signal, waits });
      return fromPrograms(programs, { ...options, namespace }, { ...context, configuration, redoLogMiB });
    });
    let stopped: Promise<void> | undefined;
    return { ...services, stop: () => (stopped ??= services.stop().finally(release)) };
  } catch (error) {
    release();
    throw error;
  }
}

// Safe in a Redis pattern and in a regular expression. For a namespace with other characters the accounts may use all namespaces.
const plainName = /^[A-Za-z0-9_-]+$/;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work that a signal to this process must not end in the middle: the signal aborts the work, which then cleans up. */
async function whileInterruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void =>
    controller.abort(new ServiceError("interrupted", "Interrupted while the services were starting."));
  for (const name of signals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.removeListener(name, abort);
  }
}

export interface PrivateServices extends Services {
  readonly operator: Operator;
}

interface PrivateOptions extends Omit<StartOptions, "keepData" | "docker" | "environment"> {
  readonly signal?: AbortSignal | undefined;
}

/** Starts empty private servers without the user's environment; `stop()` deletes their data. Throws `ServiceError`, or `signal`'s reason. */
export async function startPrivateServices({ signal, ...options }: PrivateOptions): Promise<PrivateServices> {
  const services = await startServices({
    ...options,
    keepData: false,
    docker: "never",
    environment: { PATH: process.env["PATH"] },
  });
  const { operator } = services;
  if (operator !== undefined && signal?.aborted !== true) return { ...services, operator };
  await services.stop();
  signal?.throwIfAborted();
  throw new TypeError("private servers have an operator");
}
