import { Gauge, type Registry } from "@tally/runtime";
import type { Status } from "@tally/telemetry";

/** What the metrics show of the status of the system. */
export type StatusFigures = Pick<Status, "domains" | "replicaLagMs" | "deadLetters" | "servers" | "processes">;

/** Metrics of the whole system, the same at each gateway. `read` is called once for each reading of the metrics. */
export function statusMetrics(registry: Registry, read: () => Promise<StatusFigures>): void {
  let reading: Promise<StatusFigures> | undefined;
  // All gauges are collected in one turn of the event loop.
  const status = (): Promise<StatusFigures> => (reading ??= read().finally(() => (reading = undefined)));

  function gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: (gauge: Gauge<Label>, figures: StatusFigures) => void,
  ): void {
    const made: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const figures = await status();
        if (labelNames.length > 0) made.reset();
        collect(made, figures);
      },
    });
  }

  gauge(
    "tally_seconds_to_drain",
    "Time until every waiting event of a domain is stored and ranked at the present rates; +Inf: unknown, or nothing progresses",
    ["domain"],
    (made, { domains }) => {
      for (const { name: domain, secondsToDrain } of domains) made.set({ domain }, secondsToDrain ?? Infinity);
    },
  );
  gauge(
    "tally_replica_lag_seconds",
    "Age of the oldest batch that the read endpoint does not have yet; NaN: an endpoint is down",
    [],
    (made, { replicaLagMs }) => made.set(replicaLagMs === null ? NaN : replicaLagMs / 1000),
  );
  gauge(
    "tally_dead_letters",
    "Dead letters by state: open, replayed, discarded; 10000: that many or more; absent while the database is down",
    ["state"],
    (made, { deadLetters }) => {
      for (const [state, letters] of Object.entries(deadLetters ?? {})) made.set({ state }, letters);
    },
  );
  gauge(
    "tally_server_up",
    "Whether a server responds to this gateway: broker, databaseWrite, databaseRead, redis (every master of a cluster); 0 also while the broker blocks publishers",
    ["server"],
    (made, { servers }) => {
      for (const [server, own] of Map.groupBy(servers, ({ name }) => name))
        made.set({ server }, own.every(({ state }) => state === "up") ? 1 : 0);
    },
  );
  gauge(
    "tally_processes",
    "Processes by app and state: up; gone (no heartbeat for 3 s, and not stopped in order); absent while Redis is down",
    ["app", "state"],
    (made, { processes }) => {
      for (const { app, state } of processes) made.inc({ app, state });
    },
  );
}
