import { listensForAllErrors, type Log } from "@tally/runtime";
import { connect, type Channel, type ChannelModel } from "amqplib";
import { brokerNodes } from "./broker-nodes.ts";
import { MessagingError } from "./declare-queues.ts";

/** "blocked": connected, but the broker accepts no messages (memory or disk alarm). "down": not connected. */
export type ConnectionState = "up" | "blocked" | "down";

export interface ConnectionOptions {
  /** One or more URLs, with commas between: starts with a random one, and after each failure tries the next. */
  readonly url: string;
  readonly connectionName: string;
  readonly log: Log;
}

/** A connection that reconnects by itself, forever. */
export interface Connection {
  readonly state: ConnectionState;
  /** Resolves at the first connection; rejects only with a MessagingError, and then the connection stays down. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Ends a connection that is no longer usable, so that a new one is set up completely. */
export type Renew = (reason: string) => void;

/** Renews the connection when this channel ends: one recovery, always used, is better than two. */
export function renewWithChannel(channel: Channel, renew: Renew, onEnd: () => void): void {
  let reason = "channel closed";
  channel.on("error", (error) => (reason = error.message));
  channel.on("close", () => {
    onEnd();
    renew(reason);
  });
}

interface Options extends ConnectionOptions {
  /** Creates channels, consumers and queues on each new connection: amqplib restores only the connection. */
  readonly setup: (model: ChannelModel, renew: Renew) => Promise<void>;
  /** Called after each setup, and when a blocked connection may publish again. */
  readonly onUp: () => void;
}

export class ReconnectingConnection implements Connection {
  readonly #options: Options;
  readonly #nodes: ReturnType<typeof brokerNodes>;
  readonly #first = Promise.withResolvers<void>();
  readonly ready = this.#first.promise;
  readonly #loggedReasons = new Set<string>();
  readonly #opened: Promise<{ close(): Promise<void> }>;
  #state: ConnectionState = "down";
  #closed = false;
  #wasUp = false;
  #ended = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#nodes = brokerNodes(options.url);
    // A caller that does not use `ready` still sees the error in the log.
    this.ready.catch(() => undefined);
    this.#opened = this.#open();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#state = "down";
    const connection = await this.#opened;
    // amqplib waits for the broker's response, forever when the connection is lost before that.
    await Promise.race([connection.close(), this.#ended]);
  }

  async #open() {
    const connection = await connect(this.#nodes.target, {
      // Without it Nagle's algorithm and delayed acknowledgements add 40 ms to each confirm.
      noDelay: true,
      // For a peer that accepts the connection and then stays silent; heartbeats begin only after the handshake.
      timeout: 10_000,
      ...listensForAllErrors,
      clientProperties: { connection_name: this.#options.connectionName },
      recovery: {
        initialDelay: 100,
        maxDelay: 2000,
        jitter: 0.5,
        waitForConnect: false,
        setup: (model: ChannelModel) => this.#setUp(model),
      },
    });
    connection.on("error", () => undefined); // "disconnect" reports it
    connection.on("connect", () => {
      this.#wasUp = true;
      this.#loggedReasons.clear();
      this.#become("up");
      this.#first.resolve();
      this.#options.onUp();
    });
    connection.on("disconnect", (error) => this.#become("down", error.message));
    connection.on("connect-failed", (error) => {
      if (this.#connectFailed(error) === "final") void connection.close();
    });
    // After "disconnect" and "connect-failed", which log the node that failed.
    connection.on("reconnect-scheduled", this.#nodes.next);
    connection.on("blocked", (reason) => this.#become("blocked", reason));
    connection.on("unblocked", () => {
      this.#become("up");
      this.#options.onUp();
    });
    return connection;
  }

  async #setUp(model: ChannelModel): Promise<void> {
    // First: a connection that is lost during setup has no other listener, and the event would end the process.
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
      // A lost connection first ends its channels and then itself, in the same turn: it needs no close, and has a
      // better reason.
      queueMicrotask(() => {
        if (gone) return;
        this.#become("down", reason);
        model.close().catch(() => undefined);
      });
    };
    try {
      await this.#options.setup(model, renew);
    } catch (error) {
      // amqplib would wait for the broker's response, for ever if the connection is lost before it.
      await Promise.race([model.close().catch(() => undefined), end]);
      throw error;
    }
    // A connection that ends in the same turn as the last response fails none of setup's calls, and amqplib would not
    // notice it.
    if (broken !== undefined) throw new Error(broken);
    this.#ended = end;
  }

  #connectFailed(error: Error): "retrying" | "final" {
    if (this.#closed || this.#loggedReasons.has(error.message)) return "retrying";
    this.#loggedReasons.add(error.message);
    const { log, connectionName } = this.#options;
    if (this.#wasUp || !(error instanceof MessagingError)) {
      const fields = { connectionName, node: this.#nodes.current, reason: error.message };
      log.warn(fields, "cannot connect to the broker; retrying");
      return "retrying";
    }
    log.error({ connectionName, err: error }, "the broker has a queue with other arguments; not retrying");
    this.#first.reject(error);
    return "final";
  }

  #become(next: ConnectionState, reason?: string): void {
    if (next === this.#state || this.#closed) return;
    this.#state = next;
    const { log, connectionName } = this.#options;
    const fields = { connectionName, node: this.#nodes.current };
    if (next === "up") log.info(fields, "connected to the broker");
    else if (next === "down") log.warn({ ...fields, reason }, "lost the connection to the broker; reconnecting");
    else log.warn({ ...fields, reason }, "the broker blocks publishers; waiting");
  }
}
