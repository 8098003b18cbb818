import { setTimeout as sleep } from "node:timers/promises";
import { Outage, type Log, type PoolState } from "@tally/runtime";
import type { SqlReader } from "@tally/contract";
import { createPool, type Pool, type PoolConnection } from "mysql2";
import { connectionOptions, sessionSql, rowsOf } from "./run-statement.ts";
import { DatabaseError, fromConnectError } from "./database-error.ts";
import { read, type ReadSource } from "./read.ts";
import { Session } from "./session.ts";

export interface EndpointOptions {
  readonly name: "write" | "read";
  readonly url: string;
  /** The log names the server. */
  readonly isOneOfSeveral?: boolean;
  readonly connections: number;
  /** Longest time for one statement, and for a free connection. Lock waits end at half of it. */
  readonly queryTimeoutMs: number;
  readonly log: Log;
  /** Called when a read or a transaction has its connection, or gives up: how long it waited. */
  readonly onSession?: ((endpoint: "write" | "read", waitedMs: number) => void) | undefined;
}

/** One server of the read endpoint. `query` works even while the server is left out. */
export type Replica = Pick<Endpoint, "host" | "isBehind" | "query"> & Readonly<Pick<Endpoint, "isUp">>;

const closePollMs = 10;
const askEveryMs = 1000;
// By default, the server keeps the locks of a vanished client for hours.
const endAbandoned = "SET SESSION wait_timeout = 60, net_write_timeout = 60";
/** `ok` is 1 where the server takes writes. Aurora's readers set innodb_read_only, other replicas read_only. */
export const takesWrites = "SELECT @@global.read_only = 0 AND @@global.innodb_read_only = 0 AS ok";
// A server that accepts one connection and refuses the next would fill the log otherwise.
const settleMs = 1000;

/** A pool of sessions on one server address. */
export class Endpoint implements ReadSource {
  readonly host: string;
  readonly size = 1;
  /** False from a failed attempt until the server responds again. */
  isUp = true;
  /** Leaves the server out. */
  isBehind = false;
  readonly #options: EndpointOptions;
  readonly #outage: Outage;
  readonly #pool: Pool;
  /** When a prepared connection was new, or its server was asked whether it takes writes. */
  readonly #askedAt = new WeakMap<PoolConnection, number>();
  /** Whether each lent session is abandonable. */
  readonly #lent = new Map<Session, boolean>();
  #waiting = 0;
  #closed = false;

  constructor(options: EndpointOptions) {
    const { name, isOneOfSeveral = false, log, url, queryTimeoutMs, connections } = options;
    this.#options = options;
    this.host = URL.parse(url)?.host ?? "";
    const on = isOneOfSeveral ? ` on ${this.host}` : "";
    this.#outage = new Outage(log, `use the database's ${name} endpoint${on}`, { settleMs });
    this.#pool = createPool({ ...connectionOptions(url, queryTimeoutMs), connectionLimit: connections });
    // mysql2 listens for one "error" only. A dying socket can emit a second, which would end the process.
    this.#pool.on("connection", (connection) => connection.on("error", () => {}));
  }

  /** Waits at most the query timeout. `abandonable`: it only reads, and close() need not wait. Throws DatabaseError. */
  async open({ abandonable = false } = {}): Promise<Session> {
    for (;;) {
      const connection = await this.#connect();
      const onReturn = (returned: Session) => {
        this.#lent.delete(returned);
        // The snapshot has changed the timeouts: the next use sets them again.
        if (abandonable) this.#askedAt.delete(connection);
      };
      const session = new Session(connection, this.#options.queryTimeoutMs, onReturn);
      this.#lent.set(session, abandonable);
      if (await this.#isUsable(connection, session)) return session;
      // Each turn ends one connection; the pool opens a new one in the end, which is usable.
      session.destroy();
    }
  }

  /** Prepares a new connection. Asks one of the write endpoint once a second whether its server still takes writes:
   * after a switchover the old server may live on, read-only, and keep its connections. */
  async #isUsable(connection: PoolConnection, session: Session): Promise<boolean> {
    const { name, queryTimeoutMs } = this.#options;
    const askedAt = this.#askedAt.get(connection);
    try {
      if (askedAt === undefined) {
        for (const sql of sessionSql(queryTimeoutMs, name)) await session.run(sql);
        if (name === "write") await session.run(endAbandoned);
        this.#askedAt.set(connection, performance.now());
        return true;
      }
      if (name === "read" || performance.now() - askedAt < askEveryMs) return true;
      const [row] = rowsOf<{ readonly ok: number }>(await session.run(takesWrites));
      this.#askedAt.set(connection, performance.now());
      return row?.ok === 1;
    } catch (error) {
      session.return();
      throw error;
    }
  }

  get load(): PoolState {
    return { endpoint: this.#options.name, lent: this.#lent.size, waiting: this.#waiting };
  }

  next(): Endpoint {
    return this;
  }

  readonly query: SqlReader["query"] = (sql, values) => read(this, sql, values);

  worked(): void {
    this.isUp = true;
    this.#outage.worked();
  }

  failed(error: DatabaseError): void {
    this.#options.log.debug({ endpoint: this.#options.name, err: error }, "database attempt failed");
    if (error.kind !== "unavailable" || error.code === "DATABASE_CLOSED") return;
    this.isUp = false;
    this.#outage.failed(error);
  }

  /** Lends no more sessions, waits at most the query timeout for those that are lent, then ends every connection. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const [session, abandonable] of this.#lent) if (abandonable) session.destroy();
    const deadline = performance.now() + this.#options.queryTimeoutMs;
    while (this.#lent.size > 0 && performance.now() < deadline) await sleep(closePollMs);
    for (const session of this.#lent.keys()) session.destroy();
    await new Promise<void>((resolve) => this.#pool.end(() => resolve()));
  }

  #connect(): Promise<PoolConnection> {
    const { name, queryTimeoutMs } = this.#options;
    if (this.#closed) return Promise.reject(new DatabaseError("DATABASE_CLOSED", ""));
    const askedAtMs = performance.now();
    this.#waiting++;
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        this.#waited(askedAtMs);
        reject(new DatabaseError("DATABASE_TIMEOUT", `no ${name} connection within ${queryTimeoutMs} ms`));
      }, queryTimeoutMs);
      this.#pool.getConnection((error, connection) => {
        clearTimeout(timer);
        if (!late) this.#waited(askedAtMs);
        if (error !== null) reject(fromConnectError(error));
        else if (late) connection.release();
        else resolve(connection);
      });
    });
  }

  #waited(sinceMs: number): void {
    this.#waiting--;
    this.#options.onSession?.(this.#options.name, performance.now() - sinceMs);
  }
}
