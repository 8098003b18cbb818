import { connectHeartbeats } from "@tally/heartbeats";
import {
  createLogger,
  domainsSetting,
  integer,
  mergeMetrics,
  recentProblems,
  runService,
  startHealthServer,
  string,
  systemSettings,
  type Config,
} from "@tally/service";
import { fleetMetrics } from "./fleet-metrics.ts";
import { type Fleet, startFleet } from "./start-fleet.ts";

/** The settings of an app that is a fleet of consumers; `prefix` begins its environment variables, `domains` are all names. */
export function fleetAppSettings(
  prefix: string,
  domains: readonly string[],
  defaults: { readonly threads: number; readonly prefetch: number; readonly healthPort: number },
) {
  return {
    ...systemSettings,
    domains: domainsSetting(domains),
    threads: integer(`${prefix}_THREADS`, "threads, each with its own consumers and connections", {
      min: 1,
      max: 256,
      default: defaults.threads,
    }),
    prefetch: integer(`${prefix}_PREFETCH`, "batches a thread holds unacknowledged, for each domain", {
      min: 1,
      max: 10_000,
      default: defaults.prefetch,
    }),
    healthPort: integer(`${prefix}_HEALTH_PORT`, "port of /health and /metrics; 0 takes any free port", {
      min: 0,
      max: 65_535,
      default: defaults.healthPort,
    }),
    healthHost: string(`${prefix}_HEALTH_HOST`, "address of the operator port", { default: "0.0.0.0" }),
  } as const;
}

export type FleetAppConfig = Config<ReturnType<typeof fleetAppSettings>>;

/** Runs a fleet until a signal. Its health server opens first: "not ready" until every thread consumes. `module` calls runThread for `config`. */
export async function runFleetApp(name: "writer" | "ranker", config: FleetAppConfig, module: URL): Promise<void> {
  const log = createLogger({ name, level: config.logLevel });
  const { stopWithinMs } = config;
  await runService({
    name,
    log,
    stopWithinMs,
    async start(signal) {
      const metrics = fleetMetrics(() => fleet?.threads ?? []);
      let fleet: Fleet | undefined;
      const health = await startHealthServer({
        port: config.healthPort,
        host: config.healthHost,
        keptMs: config.healthKeptMs,
        live: () => ({ process: { ok: true } }),
        ready: () => ({
          threads: {
            ok: fleet?.threads.every((thread) => thread.state === "ready") ?? false,
            detail: fleet?.threads ?? "starting",
          },
        }),
        metrics: async () => mergeMetrics(metrics, (await fleet?.metrics()) ?? []),
      });
      const heartbeats = connectHeartbeats({ url: config.redisUrl, namespace: config.namespace, log });
      heartbeats.start(name, async () => ({
        threads: (fleet?.threads ?? []).map(({ index, state, restarts, lastError = null }) => ({
          index,
          state,
          restarts,
          lastError,
        })),
        reports: [
          { thread: null, report: { flows: [], held: [], hops: [], problems: recentProblems(log) } },
          ...((await fleet?.reports()) ?? []),
        ],
      }));
      const { threads } = config;
      // A tenth of the time is left for what closes after the threads.
      const threadsWithinMs = stopWithinMs * 0.9;
      await startFleet({
        name,
        threads,
        module,
        options: config,
        log,
        stopWithinMs: threadsWithinMs,
        signal,
        onStarting: (starting) => (fleet = starting),
      });
      return {
        async stop() {
          await fleet?.stop();
          await heartbeats.stop();
          await health.close();
        },
      };
    },
  });
}
