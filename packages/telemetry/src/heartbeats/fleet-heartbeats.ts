import { type FleetAppConfig, type FleetReporter, recentProblems, type Logger } from "@tally/runtime";
import { connectHeartbeats } from "./connect-heartbeats.ts";
import type { WorkReport } from "./heartbeat.ts";

/** The heartbeats of a writer or ranker: those of its threads, and the problems of its main thread. */
export function fleetHeartbeats(
  app: "writer" | "ranker",
  config: FleetAppConfig,
  log: Logger,
): FleetReporter<WorkReport> {
  const heartbeats = connectHeartbeats({ url: config.redisUrl, namespace: config.namespace, log });
  return {
    start: (read) =>
      heartbeats.start(app, async () => {
        const { threads, reports } = await read();
        return {
          threads: threads.map(({ index, state, restarts, lastError = null }) => ({
            index,
            state,
            restarts,
            lastError,
          })),
          reports: [
            { thread: null, report: { flows: [], held: [], hops: [], problems: recentProblems(log) } },
            ...reports,
          ],
        };
      }),
    stop: () => heartbeats.stop(),
  };
}
