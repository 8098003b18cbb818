import { connect, type ChannelModel, type RecoveringChannelModel } from "amqplib";
import type { Log } from "./log.ts";
import { MessagingError } from "./messaging-error.ts";

/** "blocked": connected, but the broker takes nothing (memory or disk alarm). "down": not connected. */
export type ConnectionState = "up" | "blocked" | "down";

export interface ConnectionOptions {
  readonly url: string;
  /** How the broker's tools name this connection. */
  readonly connectionName: string;
  readonly log: Log;
  readonly onStateChange?: (state: ConnectionState) => void;
}

/** A connection that comes back by itself, for as long as it takes. */
export interface Connection {
  readonly state: ConnectionState;
  /** Resolves at the first connection; rejects only with a MessagingError. */
  readonly ready: Promise<void>;
  /** Ends what is open and begins anew: for a channel that the broker has closed. */
  renew(): void;
  close(): Promise<void>;
}

/**
 * amqplib brings the connection back, but channels, consumers and topology are ours: `setup` makes them on each new
 * connection, `onUp` is called when they are there.
 */
export function openConnection(
  options: ConnectionOptions & { setup: (model: ChannelModel) => Promise<void>; onUp: () => void },
): Connection {
  const { log, connectionName } = options;
  let state: ConnectionState = "down";
  let current: ChannelModel | undefined;
  let recovering: RecoveringChannelModel | undefined;
  let closed = false;
  const first = Promise.withResolvers<void>();
  // Whoever does not ask for it still sees the fault in the log.
  first.promise.catch(() => undefined);

  const become = (next: ConnectionState, reason?: string) => {
    if (next === state || closed) return;
    state = next;
    if (next === "up") log.info({ connectionName }, "broker: connected");
    else
      log.warn({ connectionName, reason }, next === "down" ? "broker: connection lost" : "broker: takes nothing now");
    options.onStateChange?.(next);
  };

  const opened = connect(withHeartbeat(options.url), {
    // Without it Nagle's algorithm and delayed acknowledgements add 40 ms to each confirm.
    noDelay: true,
    clientProperties: { connection_name: connectionName },
    recovery: {
      initialDelay: 100,
      maxDelay: 2000,
      jitter: 0.5,
      waitForConnect: false,
      async setup(model: ChannelModel) {
        // First of all: a connection that is lost during setup has no other listener, and would end the process.
        model.on("error", () => undefined);
        try {
          await options.setup(model);
          current = model;
        } catch (error) {
          if (error instanceof MessagingError) {
            log.error({ err: error }, "broker: the queues are not ours");
            first.reject(error);
          }
          throw error;
        }
      },
    },
  }).then((connection) => {
    recovering = connection;
    let told = false;
    connection.on("error", () => undefined); // told by "disconnect"
    connection.on("connect", () => {
      become("up");
      first.resolve();
      options.onUp();
    });
    connection.on("disconnect", (error) => become("down", error.message));
    connection.on("connect-failed", (error) => {
      // The first connection has no "disconnect" before it.
      if (!told && state === "down")
        log.warn({ connectionName, reason: error.message }, "broker: not reached; trying on");
      told = true;
    });
    connection.on("blocked", (reason) => become("blocked", reason));
    connection.on("unblocked", () => {
      become("up");
      options.onUp();
    });
    return connection;
  });

  return {
    get state() {
      return state;
    },
    ready: first.promise,
    renew() {
      // Already gone when it fails: then recovery is under way.
      current?.close().catch(() => undefined);
    },
    async close() {
      closed = true;
      state = "down";
      await (recovering ?? (await opened)).close();
    },
  };
}

// A peer that is gone without a word is noticed after two of these; amqplib takes it from the URL only.
function withHeartbeat(text: string): string {
  const url = new URL(text);
  if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", "10");
  return url.href;
}
