import { Gauge, Histogram, type Registry } from "prom-client";

/** A pool of connections at one moment. */
export interface PoolState {
  readonly endpoint: string;
  /** Connections in use. */
  readonly lent: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** Metrics of an app's database pools. `pools` is called when they are read. Call the result after each wait, also of 0 ms. */
export function poolMetrics(
  registry: Registry,
  pools: () => readonly PoolState[],
): (endpoint: string, waitedMs: number) => void {
  const registers = [registry];
  const waitSeconds = new Histogram({
    name: "tally_database_wait_seconds",
    help: "Time that a read or a transaction waited for a connection of the pool, or for a new one to open",
    labelNames: ["endpoint"] as const,
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers,
  });
  const gauge = (name: string, help: string, figure: "lent" | "waiting"): void =>
    void new Gauge({
      name,
      help,
      labelNames: ["endpoint"] as const,
      registers,
      collect() {
        for (const pool of pools()) this.set({ endpoint: pool.endpoint }, pool[figure]);
      },
    });
  gauge("tally_database_connections", "Connections of the pool that are in use", "lent");
  gauge("tally_database_waiting", "Reads and transactions that wait for a connection of the pool", "waiting");
  return (endpoint, waitedMs) => waitSeconds.observe({ endpoint }, waitedMs / 1000);
}
