import { createLogger } from "../service/create-logger.ts";
import { domainsSetting, systemSettings, integer } from "../service/setting.ts";
import { createMetrics, mergeMetrics, metricsIn } from "../service/metrics.ts";
import { runService } from "../service/run-service.ts";
import { startHealthServer } from "../service/start-health-server.ts";
import type { Config } from "../service/config.ts";
import { type Fleet, startFleet } from "./start-fleet.ts";
import type { ThreadStatus } from "./supervised-thread.ts";
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";

/** The settings of a fleet of consumers; `prefix` begins its variables, `domains` are all names. */
export function fleetAppSettings(
  prefix: string,
  domains: readonly string[],
  defaults: { readonly threads: number; readonly healthPort: number },
) {
  return {
    ...systemSettings,
    domains: domainsSetting(domains),
    threads: integer(`${prefix}_THREADS`, "threads, each with its own consumers and connections", {
      min: 1,
      max: 256,
      default: defaults.threads,
    }),
    healthPort: integer(`${prefix}_HEALTH_PORT`, "port of /health and /metrics; 0 takes any free port", {
      min: 0,
      max: 65_535,
      default: defaults.healthPort,
    }),
  } as const;
}

export type FleetAppConfig = Config<ReturnType<typeof fleetAppSettings>>;

/** Sends what the process and its threads did, until `stop`. `Report`: what ThreadBody.report returns. */
export interface FleetReporter<Report extends object> {
  /** `fleet` returns undefined before the fleet starts. */
  start(fleet: () => Pick<Fleet<Report>, "threads" | "reports"> | undefined, metrics: Registry): void;
  stop(): Promise<void>;
}

interface FleetApp<Report extends object> {
  readonly name: "writer" | "ranker";
  readonly config: FleetAppConfig;
  /** Calls runThread for `config`. */
  readonly module: URL;
  readonly openReporter: (log: Logger) => FleetReporter<Report>;
}

/** Runs a fleet until a signal. Its health server opens first: "not ready" until every thread consumes. */
export async function runFleetApp<Report extends object>(app: FleetApp<Report>): Promise<void> {
  const { name, config, module } = app;
  const log = createLogger({ name, level: config.logLevel });
  const { stopWithinMs } = config;
  await runService({
    name,
    log,
    stopWithinMs,
    async start(signal) {
      const metrics = fleetMetrics(() => fleet?.threads ?? []);
      let fleet: Fleet<Report> | undefined;
      const health = await startHealthServer({
        port: config.healthPort,
        host: config.host,
        ready: () => ({
          threads: {
            ok: fleet?.threads.every((thread) => thread.state === "ready") ?? false,
            detail: fleet?.threads ?? "starting",
          },
        }),
        metrics: async () => mergeMetrics(metrics, (await fleet?.metrics()) ?? []),
      });
      const reporter = app.openReporter(log);
      reporter.start(() => fleet, metrics);
      const starting = startFleet<FleetAppConfig, Report>({
        name,
        module,
        log,
        signal,
        threads: config.threads,
        options: config,
        // A tenth of the time is left for what closes after the threads.
        stopWithinMs: stopWithinMs * 0.9,
        onStarting: (begun) => (fleet = begun),
      });
      // Without an end of its heartbeats, the process would be taken for dead.
      await starting.catch(async (error: unknown) => {
        await reporter.stop();
        throw error;
      });
      return {
        async stop() {
          await fleet?.stop();
          await reporter.stop();
          await health.close();
        },
      };
    },
  });
}

const states = ["starting", "ready", "restarting", "stopping", "stopped"] as const;

/** The metrics of a fleet's main thread. `threads` is called when they are read. */
export function fleetMetrics(threads: () => readonly ThreadStatus[]): Registry {
  const registry = createMetrics();
  const help = `Threads by state: ${states.join(", ")}`;
  metricsIn(registry, { tally_threads: help }).gauge("tally_threads", ["state"], (made) => {
    for (const state of states) made.set({ state }, 0);
    for (const { state } of threads()) made.inc({ state });
  });
  void new Counter({
    name: "tally_thread_restarts_total",
    help: "How often a thread was started again after it had died",
    labelNames: ["thread"] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const { index, restarts } of threads()) this.inc({ thread: String(index) }, restarts);
    },
  });
  return registry;
}
