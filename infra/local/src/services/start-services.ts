import type { Server } from "../process/child-server.ts";
import { Waits } from "../process/until.ts";
import { type MoreConfiguration, openContext } from "../servers/context.ts";
import type { RedisClusterSize } from "../servers/redis.ts";
import {
  type Accounts,
  type Addresses,
  addressNames,
  fromEnvironment,
  sameForAll,
  withoutAddresses,
} from "./addresses.ts";
import { resolve } from "node:path";
import { endLeftovers, whileLocked } from "../process/directory-lock.ts";
import { findDocker } from "../process/docker.ts";
import { ServiceError } from "../process/run-command.ts";
import type { HereOptions } from "./compose-project.ts";
import { fromDocker } from "./from-docker.ts";
import { fromPrograms } from "./from-programs.ts";
import { installedPrograms } from "./installed-programs.ts";

/** `programs` are installed on this machine, first where that is possible. */
export const servicesSources = ["docker", "programs", "environment"] as const;
export type ServicesSource = (typeof servicesSources)[number];

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
  /** Where the servers come from. Absent: the addresses in the environment, else Docker Compose when an engine responds,
   * else programs. */
  readonly services?: ServicesSource | undefined;
  /** Nodes of the RabbitMQ cluster, default 1; programs only, and the same number at each start. */
  readonly brokers?: number;
  /** Default 1. More: the number of database replicas, any of which can be promoted, since each keeps a binary log.
   * Programs only. */
  readonly databaseReplicas?: number;
  /** Absent: one Redis. Else a Redis Cluster, of programs without `keepData` only. Each node can be killed and
   * started separately. */
  readonly redisCluster?: RedisClusterSize;
  /** Lines for the programs' configurations, e.g. for further listeners. */
  readonly configuration?: MoreConfiguration;
  /** The size of the redo log of each database program, allocated at its first start. Default 512. A small one slows
   * down heavy writing. */
  readonly redoLogMiB?: number;
  /** The NAMESPACE whose queues and keys the accounts may use: letters, digits, `_` and `-`. Absent, or with other
   * characters: all. */
  readonly namespace?: string | undefined;
}

/** What an operator can do to servers that were started here. Used by tests and fault drills. Each call throws when the server rejects
 * it. */
export interface Operator {
  /** SQL as the primary's root. */
  sql(text: string): Promise<string>;
  /** SQL as a replica's root; `replica` counts from 1. Default: the first. */
  replicaSql(text: string, replica?: number): Promise<string>;
  /** The replica takes the place of the primary, at its address, with a copy of itself as replica. What it has not
   * applied is lost. Apps must not reach the primary meanwhile. Programs only. */
  promoteReplica?(): Promise<void>;
  /** rabbitmqctl; takes about a second. In a cluster: for its first node. */
  rabbitmqctl(...args: readonly string[]): Promise<string>;
  /** JSON, as `rabbitmqctl import_definitions` reads it. */
  importDefinitions(definitions: string): Promise<unknown>;
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
  readonly source: ServicesSource;
  /** Empty for those of the environment. Else `rabbitmq` (of a cluster `rabbitmq-1`, `rabbitmq-2`, …), `database-primary`, `database-replica` (of
   * several `database-replica-1`, …), `redis` (of a cluster `redis-1`, …). */
  readonly servers: readonly Server[];
  /** Not of those of the environment. */
  readonly operator?: Operator;
  /** Stops everything that was started, and nothing else. May be called again. */
  stop(): Promise<void>;
}

/** Servers from the environment, Docker Compose or programs, until `stop()`. Throws `ServiceError`. */
export async function startServices(options: StartOptions): Promise<Services> {
  const { environment = process.env, services: source } = options;
  const given = source === undefined || source === "environment" ? fromEnvironment(environment) : undefined;
  if (given)
    return {
      addresses: given,
      accounts: sameForAll(given),
      source: "environment",
      servers: [],
      stop: async () => undefined,
    };
  if (source === "environment")
    throw new ServiceError("environment-incomplete", `The environment names no servers: ${addressNames} are not set.`);

  if (!/^[A-Za-z0-9_]{1,40}$/.test(options.database))
    throw new TypeError(`not a valid database name: ${options.database}`);
  const { say, waits = new Waits() } = options;
  const namespace = plainName.test(options.namespace ?? "") ? options.namespace : undefined;
  const directory = resolve(options.directory);
  return whileLocked(directory, () =>
    whileInterruptible(async (signal) => {
      await waits.during("servers of an earlier run to stop", () => endLeftovers(directory, say));
      const services = await startHere({ ...options, namespace, directory, environment, signal, waits });
      if (signal.aborted) await services.stop();
      signal.throwIfAborted();
      return services;
    }),
  );
}

/** From Docker, else from programs. */
async function startHere(options: HereOptions): Promise<Services> {
  const { services: source, directory, environment, say, signal, waits, configuration, redoLogMiB } = options;
  let { program: docker, reason } = await dockerFor(options);
  if (docker === undefined && source === "docker")
    throw new ServiceError("not-installed", `Docker cannot be used: ${reason}.`);
  if (docker !== undefined) {
    try {
      return await fromDocker(docker, options);
    } catch (error) {
      if (source === "docker" || signal.aborted || !(error instanceof ServiceError)) throw error;
      say((reason = error.message));
    }
  }
  const programs = await installedPrograms({ environment, say, signal }, reason);
  const context = await openContext(directory, environment, { say, signal, waits });
  return fromPrograms(programs, options, { ...context, configuration, redoLogMiB });
}

/** The docker program, or why these options need programs. */
async function dockerFor(options: HereOptions): ReturnType<typeof findDocker> {
  const { services, brokers = 1, databaseReplicas = 1, redisCluster, configuration, environment } = options;
  if (services === "programs") return {};
  if (brokers > 1 || databaseReplicas > 1 || redisCluster !== undefined || configuration !== undefined)
    return { reason: "these servers have clusters or listeners that infra/compose.yaml has not" };
  return findDocker(environment);
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

interface PrivateOptions extends Omit<StartOptions, "keepData" | "services"> {
  readonly services?: Exclude<ServicesSource, "environment"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Starts empty servers, also where the environment names some; `stop()` deletes their data. Throws `ServiceError`, or
 * `signal`'s reason. */
export async function startPrivateServices({ signal, ...options }: PrivateOptions): Promise<PrivateServices> {
  const environment = withoutAddresses(options.environment ?? process.env);
  const services = await startServices({ ...options, environment, keepData: false });
  const { operator } = services;
  if (operator !== undefined && signal?.aborted !== true) return { ...services, operator };
  await services.stop();
  signal?.throwIfAborted();
  throw new TypeError("servers that were started here have an operator");
}
