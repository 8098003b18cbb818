import { listensForAllErrors, type Log } from "@tally/runtime";
import type { RedisCommander, RedisOptions as DriverOptions } from "ioredis";

/** The commands of a single server or of a cluster. In a cluster all keys of one command are in one hash slot. */
export interface Redis extends RedisCommander<{ type: "default"; mapping: "resp2" }> {
  /** "ready": connected; in a cluster, to any of its nodes. */
  readonly status: string;
  on(event: "ready", listener: () => void): unknown;
  once(event: "ready", listener: () => void): unknown;
  disconnect(): void;
}

export interface RedisOptions {
  /** redis[s]:// of a server, or redis[s]+cluster:// of some nodes of a cluster, separated by commas. */
  readonly url: string;
  /** What the connection is for, in its log lines. */
  readonly label: string;
  /** A command fails after this time; absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number | undefined;
  /** False: without a connection a command fails at once; a connected cluster still waits for a node that is away. */
  readonly queuesWhileDown?: boolean;
  /** Lua scripts by the names of the methods that call them; sent by their hash (EVALSHA). */
  readonly scripts?: Readonly<Record<string, { readonly lua: string; readonly numberOfKeys?: number }>>;
  readonly log: Log;
}

/** For every connection, to a single server or to a node. */
export type ConnectionOptions = Pick<DriverOptions, "socketTimeout" | "commandTimeout" | "maxRetriesPerRequest">;

/** For a connection with TLS. */
export const tls: DriverOptions["tls"] & typeof listensForAllErrors = listensForAllErrors;
