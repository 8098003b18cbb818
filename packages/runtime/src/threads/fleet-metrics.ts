import { Counter, Gauge, type Registry } from "prom-client";
import { createMetrics } from "../service/metrics.ts";
import type { ThreadStatus } from "./supervised-thread.ts";

const states = ["starting", "ready", "restarting", "stopping", "stopped"] as const;

/** The metrics of a fleet's main thread. `threads` is called when they are read. */
export function fleetMetrics(threads: () => readonly ThreadStatus[]): Registry {
  const registry = createMetrics();
  const gauge = new Gauge({
    name: "tally_threads",
    help: `Threads by state: ${states.join(", ")}`,
    labelNames: ["state"] as const,
    registers: [],
    collect() {
      for (const state of states) this.set({ state }, 0);
      for (const { state } of threads()) this.inc({ state });
    },
  });
  const counter = new Counter({
    name: "tally_thread_restarts_total",
    help: "How often a thread was started again after it had died",
    labelNames: ["thread"] as const,
    registers: [],
    collect() {
      this.reset();
      for (const { index, restarts } of threads()) this.inc({ thread: String(index) }, restarts);
    },
  });
  registry.registerMetric(gauge);
  registry.registerMetric(counter);
  return registry;
}
