import { setTimeout as sleep } from "node:timers/promises";
import type { SqlReader } from "@tally/contract";
import type { PoolState } from "@tally/runtime";
import { Endpoint, type EndpointOptions } from "./endpoint.ts";
import { read, type ReadSource } from "./read.ts";

const askEveryMs = 1000;

/*
 * The servers of the read endpoint, in turns. A server is left out
 *
 *   down      from a failed attempt until it responds; it is asked every second
 *   behind    while `isBehind` is true: its caller measures the lag
 *
 * When all are left out, those that are behind serve reads, and then those that are down.
 */
export class ReadEndpoints implements ReadSource {
  readonly servers: readonly Endpoint[];
  readonly #stop = new AbortController();
  #turn = 0;

  /** `list`: URLs, separated by commas. `connections` is for each of them. */
  constructor(options: Omit<EndpointOptions, "name" | "url">, list: string) {
    const urls = list.split(",").flatMap((url) => (url.trim() === "" ? [] : [url.trim()]));
    const isOneOfSeveral = urls.length > 1;
    this.servers = urls.map((url) => new Endpoint({ ...options, name: "read", url, isOneOfSeveral }));
    if (isOneOfSeveral) for (const server of this.servers) void this.#askWhileDown(server);
  }

  get size(): number {
    return this.servers.length;
  }

  next(): Endpoint {
    const up = this.servers.filter(({ isUp }) => isUp);
    const current = up.filter(({ isBehind }) => !isBehind);
    const serving = [current, up].find(({ length }) => length > 0) ?? this.servers;
    this.#turn = (this.#turn + 1) % serving.length;
    const server = serving[this.#turn];
    if (server === undefined) throw new TypeError("the read endpoint has no server");
    return server;
  }

  readonly query: SqlReader["query"] = (sql, values) => read(this, sql, values);

  get load(): PoolState {
    const loads = this.servers.map(({ load }) => load);
    const sum = (of: "lent" | "waiting"): number => loads.reduce((total, load) => total + load[of], 0);
    return { endpoint: "read", lent: sum("lent"), waiting: sum("waiting") };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.servers.map((server) => server.close()));
  }

  async #askWhileDown(server: Endpoint): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(askEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
      // The server logs what it fails with.
      if (!server.isUp && !signal.aborted) await server.query("SELECT 1").catch(() => undefined);
    }
  }
}
