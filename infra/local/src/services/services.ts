import type { Server } from "../process/child-server.ts";
import type { Waits } from "../process/until.ts";
import type { MoreConfiguration } from "../servers/context.ts";
import type { RedisClusterSize } from "../servers/redis.ts";
import type { Accounts, Addresses } from "./addresses.ts";

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
  /** Aborts the start: it stops what it has started, then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Gets what the start and the stop wait for. */
  readonly waits?: Waits | undefined;
  /** Default `process.env`. If it has addresses, nothing is started. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Where the servers come from. Absent: the addresses in the environment, else Docker Compose when an engine
   * responds, else programs. */
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

export interface HereOptions extends StartOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly waits: Waits;
}

/** What an operator can do to servers that were started here. Used by tests and fault drills. Each call throws when the
 * server rejects it. */
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
  /** Empty for the environment's. Else `rabbitmq` (of a cluster `rabbitmq-1`, `rabbitmq-2`, …), `database-primary`,
   * `database-replica` (of several `database-replica-1`, …), `redis` (of a cluster `redis-1`, …). */
  readonly servers: readonly Server[];
  /** Not of those of the environment. */
  readonly operator?: Operator;
  /** Stops everything that was started, and nothing else. May be called again. */
  stop(): Promise<void>;
}
