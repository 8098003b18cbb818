import { connect, type ChannelModel } from "amqplib";
import type { Log } from "@tally/failures";
import { brokerNodes } from "./broker-nodes.ts";
import { MessagingError } from "./messaging-error.ts";

/** "blocked": connected, but the broker takes nothing (memory or disk alarm). "down": not connected. */
export type ConnectionState = "up" | "blocked" | "down";

export interface ConnectionOptions {
  /** One, or those of a cluster's nodes between commas: the first is any of them, and after each failure comes the next. */
  readonly url: string;
  /** How the broker's tools name this connection. */
  readonly connectionName: string;
  readonly log: Log;
  readonly onStateChange?: (state: ConnectionState) => void;
}

/** A connection that comes back by itself, for as long as it takes. */
export interface Connection {
  readonly state: ConnectionState;
  /** Resolves at the first connection; rejects only with a MessagingError, and then the connection stays down. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Ends a connection that is of no use any more, so that everything on it begins anew. */
export type Renew = (reason: string) => void;

/**
 * amqplib brings the connection back, but channels, consumers and topology are ours: `setup` makes them on each new
 * connection, `onUp` is called when they are there.
 */
export function openConnection(
  options: ConnectionOptions & {
    readonly setup: (model: ChannelModel, renew: Renew) => Promise<void>;
    readonly onUp: () => void;
  },
): Connection {
  const { log, connectionName } = options;
  const nodes = brokerNodes(options.url);
  const first = Promise.withResolvers<void>();
  // Whoever does not ask for it still sees the fault in the log.
  first.promise.catch(() => undefined);
  const reasonsTold = new Set<string>();
  let state: ConnectionState = "down";
  let closed = false;
  let wasUp = false;
  let ended = Promise.resolve();

  const become = (next: ConnectionState, reason?: string) => {
    if (next === state || closed) return;
    state = next;
    if (next === "up") log.info({ connectionName, node: nodes.current }, "broker: connected");
    else
      log.warn(
        { connectionName, node: nodes.current, reason },
        next === "down" ? "broker: connection lost" : "broker: takes nothing now",
      );
    options.onStateChange?.(next);
  };

  async function setUp(model: ChannelModel): Promise<void> {
    // First of all: a connection that is lost during setup has no other listener, and would end the process.
    model.on("error", () => undefined);
    let broken: string | undefined;
    let gone = false;
    const end = new Promise<void>((resolve) => {
      model.once("close", () => {
        gone = true;
        broken ??= "connection lost";
        resolve();
      });
    });
    const renew: Renew = (reason) => {
      broken ??= reason;
      // A lost connection ends its channels first and then itself, in one turn: it needs no close, and has a better reason.
      queueMicrotask(() => {
        if (gone) return;
        become("down", reason);
        model.close().catch(() => undefined);
      });
    };
    await options.setup(model, renew);
    // What ends in the same turn as the last answer came fails none of setup's calls, and amqplib would not notice it.
    if (broken !== undefined) throw new Error(broken);
    ended = end;
  }

  async function open() {
    const connection = await connect(nodes.target, {
      // Without it Nagle's algorithm and delayed acknowledgements add 40 ms to each confirm.
      noDelay: true,
      // For a peer that takes the connection and then says nothing; heartbeats begin only after the handshake.
      timeout: 10_000,
      clientProperties: { connection_name: connectionName },
      recovery: { initialDelay: 100, maxDelay: 2000, jitter: 0.5, waitForConnect: false, setup: setUp },
    });
    connection.on("error", () => undefined); // told by "disconnect"
    connection.on("connect", () => {
      wasUp = true;
      reasonsTold.clear();
      become("up");
      first.resolve();
      options.onUp();
    });
    connection.on("disconnect", (error) => become("down", error.message));
    connection.on("connect-failed", (error) => {
      if (closed || reasonsTold.has(error.message)) return;
      reasonsTold.add(error.message);
      if (wasUp || !(error instanceof MessagingError)) {
        log.warn({ connectionName, node: nodes.current, reason: error.message }, "broker: not reached; trying on");
        return;
      }
      log.error({ connectionName, err: error }, "broker: the queues are not ours");
      first.reject(error);
      void connection.close();
    });
    // After "disconnect" and "connect-failed" have told of the node that failed.
    connection.on("reconnect-scheduled", nodes.next);
    connection.on("blocked", (reason) => become("blocked", reason));
    connection.on("unblocked", () => {
      become("up");
      options.onUp();
    });
    return connection;
  }
  const opened = open();

  return {
    get state() {
      return state;
    },
    ready: first.promise,
    async close() {
      closed = true;
      state = "down";
      const connection = await opened;
      // amqplib waits for the broker's answer, and for ever when the connection is lost before that.
      await Promise.race([connection.close(), ended]);
    },
  };
}
