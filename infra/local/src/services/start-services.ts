import type { Server } from "../process/child-server.ts";
import { Waits } from "../process/until.ts";
import { type MoreConfiguration, openContext } from "../servers/context.ts";
import type { RedisClusterSize } from "../servers/redis.ts";
import { type Accounts, type Addresses, sameForAll, fromEnvironment } from "./addresses.ts";
import { resolve } from "node:path";
import { lockDirectory, endLeftovers } from "../process/directory-lock.ts";
import { ServiceError } from "../process/run-command.ts";
import { fromDocker } from "./from-docker.ts";
import { fromPrograms } from "./from-programs.ts";
import { installedPrograms } from "./installed-programs.ts";

export interface StartOptions {
  /** For data, logs, passwords and pid files, e.g. `<root>/.tally/dev`. Created when missing. */
  readonly directory: string;
  /** The database to create, e.g. `tally`. The user may also create databases whose names begin with it. Letters,
   * digits, `_`. */
  readonly database: string;
  /** True: the next start finds the data again. False: `stop()` deletes the data, and the directory of private servers.
   */
  readonly keepData: boolean;
  readonly say: (line: string) => void;
  /** Gets what the start and the stop wait for. */
  readonly waits?: Waits | undefined;
  /** Default `process.env`. If it has addresses, nothing is started. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Default `auto`: Docker Compose when an engine responds. */
  readonly docker?: "auto" | "never";
  /** Nodes of the RabbitMQ cluster, default 1; private servers only, and the same number at each start. */
  readonly brokers?: number;
  /** Default 1. More: the number of database replicas, any of which can be promoted, since each keeps a binary log.
   * Private servers only. */
  readonly databaseReplicas?: number;
  /** Absent: one Redis. Else a Redis Cluster, of private servers without `keepData` only. Each node can be killed and
   * started separately. */
  readonly redisCluster?: RedisClusterSize;
  /** Lines for the private servers' configurations, e.g. for further listeners. */
  readonly configuration?: MoreConfiguration;
  /** The size of the redo log of each private database, allocated at its first start. Default 512. A small one slows
   * down heavy writing. */
  readonly redoLogMiB?: number;
  /** The NAMESPACE whose queues and keys the accounts may use: letters, digits, `_` and `-`. Absent, or with other
   * characters: all. */
  readonly namespace?: string;
}

/** What an operator can do to private servers. Used by tests and fault drills. Each call throws when the server rejects
 * it. */
export interface Operator {
  /** SQL as the primary's root. */
  sql(text: string): Promise<string>;
  /** SQL as a replica's root; `replica` counts from 1. Default: the first. */
  replicaSql(text: string, replica?: number): Promise<string>;
  /** The replica takes the place of the primary, at its address, with a copy of itself as replica. What it has not
   * applied is lost. Apps must not reach the primary meanwhile. */
  promoteReplica(): Promise<void>;
  /** rabbitmqctl; takes about a second. In a cluster: for its first node. */
  rabbitmqctl(...args: readonly string[]): Promise<string>;
  /** A Redis command as its administrator, e.g. `SAVE`. Returns the first bytes of the response. In a cluster: of its
   * first node. */
  redis(command: string): Promise<string>;
  /** Deletes the data of the one Redis, which must not run. */
  wipeRedis(): Promise<void>;
}

export interface Services {
  /** Addresses with the administrator's account, which has all privileges. */
  readonly addresses: Addresses;
  /** Addresses with the account of each app and of `pnpm tally`, which has the privileges that it needs. The same as
   * `addresses` when these were given. */
  readonly accounts: Accounts;
  readonly source: "docker" | "environment" | "private";
  /** When private: `rabbitmq` (of a cluster `rabbitmq-1`, `rabbitmq-2`, …), `database-primary`, `database-replica` (of
   * several `database-replica-1`, …), `redis` (of a cluster `redis-1`, …). Else empty. */
  readonly servers: readonly Server[];
  /** Of private servers only. */
  readonly operator?: Operator;
  /** Stops everything that was started, and nothing else. May be called again. */
  stop(): Promise<void>;
}

/** Services from the environment, Docker Compose or installed servers, until `stop()`. Throws `ServiceError`. */
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
    const stop = async (): Promise<void> => {
      try {
        await services.stop();
      } finally {
        await release();
      }
    };
    let stopped: Promise<void> | undefined;
    return { ...services, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await release();
    throw error;
  }
}

// Safe in a Redis pattern and in a regular expression. For a namespace with other characters the accounts may use all
// namespaces.
const plainName = /^[A-Za-z0-9_-]+$/;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work that a signal to this process must not end in the middle: the signal aborts the work, which then cleans
 * up. */
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

/** Starts empty private servers without the user's environment; `stop()` deletes their data. Throws `ServiceError`, or
 * `signal`'s reason. */
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
