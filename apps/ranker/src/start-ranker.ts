import { startFleet, type Fleet } from "@tally/fleet";
import { createMetrics, mergeMetrics, startHealthServer, type Logger } from "@tally/service";
import type { RankerConfig } from "./config.ts";

/**
 * Starts the fleet of ranker threads and answers for its health: at once, so that whoever asks while the broker is away hears
 * "not ready". Resolves when every thread works; `stopAsked` ends the waiting.
 */
export async function startRanker(
  config: RankerConfig,
  log: Logger,
  stopAsked: AbortSignal,
): Promise<{ stop(): Promise<void> }> {
  const metrics = createMetrics();
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
  fleet = await startFleet({
    name: "ranker",
    threads: config.threads,
    module: new URL("thread.ts", import.meta.url),
    options: config,
    log,
    // The rest is for closing what the threads leave.
    stopWithinMs: config.stopWithinMs * 0.9,
    signal: stopAsked,
  });
  return {
    async stop() {
      await fleet?.stop();
      await health.close();
    },
  };
}
