import { setTimeout as sleep } from "node:timers/promises";
import { createPool, type Pool, type PoolConnection } from "mysql2";
import type { Log } from "@tally/failures";
import { connectionOptions } from "./connection-options.ts";
import { DatabaseError } from "./database-error.ts";
import { fromConnectError } from "./driver-error.ts";
import { EndpointHealth } from "./endpoint-health.ts";
import { Session } from "./session.ts";

export interface EndpointOptions {
  readonly name: "write" | "read";
  readonly url: string;
  readonly connections: number;
  readonly queryTimeoutMs: number;
  /** Run once on each new connection, before anything else. */
  readonly sessionSql: readonly string[];
  readonly log: Log;
}

/** Between attempts while the server cannot be reached. */
export const awayBackOff = { firstMs: 50, longestMs: 2000 };

/** A pool of sessions on one server address. */
export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #pool: Pool;
  readonly #prepared = new WeakSet<PoolConnection>();
  readonly #lent = new Set<Session>();
  readonly #abandonable = new Set<Session>();
  readonly health: EndpointHealth;
  #closed = false;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.health = new EndpointHealth(options.name, options.log);
    this.#pool = createPool({
      ...connectionOptions(options.url, options.queryTimeoutMs),
      connectionLimit: options.connections,
    });
    // mysql2 listens for one "error" only and a dying socket can emit a second, which would end the process.
    this.#pool.on("connection", (connection) => connection.on("error", () => {}));
  }

  /**
   * A session with its settings made. Waits for a free connection at most the query time-out. Throws DatabaseError. `abandonable`: it
   * only reads, and close() need not wait for it.
   */
  async open({ abandonable = false } = {}): Promise<Session> {
    const connection = await this.#connect();
    const session = new Session(connection, this.#options.queryTimeoutMs, (returned) => {
      this.#lent.delete(returned);
      this.#abandonable.delete(returned);
    });
    this.#lent.add(session);
    if (abandonable) this.#abandonable.add(session);
    if (this.#prepared.has(connection)) return session;
    try {
      for (const sql of this.#options.sessionSql) await session.run(sql);
      this.#prepared.add(connection);
      return session;
    } catch (error) {
      session.return();
      throw error;
    }
  }

  /** Lends nothing more, waits for what is lent at most the query time-out, then ends every connection. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const session of this.#abandonable) session.destroy();
    const deadline = performance.now() + this.#options.queryTimeoutMs;
    while (this.#lent.size > 0 && performance.now() < deadline) await sleep(closePollMs);
    for (const session of this.#lent) session.destroy();
    await new Promise<void>((resolve) => this.#pool.end(() => resolve()));
  }

  #connect(): Promise<PoolConnection> {
    const { name, queryTimeoutMs } = this.#options;
    if (this.#closed) return Promise.reject(new DatabaseError("DATABASE_CLOSED", "the database was closed"));
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        reject(new DatabaseError("DATABASE_TIMEOUT", `no ${name} connection within ${queryTimeoutMs} ms`));
      }, queryTimeoutMs);
      this.#pool.getConnection((error, connection) => {
        clearTimeout(timer);
        if (error !== null) reject(fromConnectError(error));
        else if (late) connection.release();
        else resolve(connection);
      });
    });
  }
}

const closePollMs = 10;
