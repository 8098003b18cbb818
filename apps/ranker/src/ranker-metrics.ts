import { createMetrics, metricsIn, poolMetrics, type PoolState } from "@tally/runtime";

const help = {
  tally_ranker_batches_total: "Batches by outcome: ranked (now) or known (ranked before)",
  tally_ranker_ranked_after_seconds: "Time from the commit of a batch until it is ranked",
  tally_ranker_rank_seconds:
    "Time from the delivery of a ranking message until Redis has ranked its batch, with retries",
  tally_ranker_repaired_batches_total: "Batches that the auditor ranked from the ledger",
  tally_ranker_generations_total: "Rebuilds of the rankings from the rows",
  tally_ranker_rebuilds_delayed_total:
    "Rebuilds that had to wait, because the one before it for the same reason did not help",
  tally_ranker_alerts: "Alerts that GET /chain/sales shows, by rule",
  tally_ranker_fold_failures_total: "Attempts to fold old batches that failed",
};
const hopSeconds = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60];

/** Metrics of one ranker thread, updated once for each batch. `pools` is called when they are read. */
export function rankerMetrics(thread: number, domains: readonly string[], pools: () => readonly PoolState[]) {
  const registry = createMetrics(thread);
  const { counter, gauge, histogram } = metricsIn(registry, help);
  const batches = counter("tally_ranker_batches_total", "domain", "outcome");
  const behindSeconds = histogram("tally_ranker_ranked_after_seconds", hopSeconds, "domain");
  const rankSeconds = histogram("tally_ranker_rank_seconds", hopSeconds, "domain");
  const repaired = counter("tally_ranker_repaired_batches_total", "domain");
  const generations = counter("tally_ranker_generations_total", "domain");
  const delayed = counter("tally_ranker_rebuilds_delayed_total", "domain");
  const unfolded = counter("tally_ranker_fold_failures_total", "domain");
  const alerts = gauge("tally_ranker_alerts", ["domain", "rule"]);
  // From 0, so that the first one is an increase.
  for (const domain of domains) for (const one of [generations, delayed, unfolded]) one.inc({ domain }, 0);
  return {
    registry,
    waitedForSession: poolMetrics(registry, pools),
    onRebuilt: (domain: string): void => generations.inc({ domain }),
    onRebuildDelayed: (domain: string): void => delayed.inc({ domain }),
    onFoldFailed: (domain: string): void => unfolded.inc({ domain }),
    onWatched: (domain: string, rule: string, count: number): void => alerts.set({ domain, rule }, count),
    onRepaired: (domain: string, count: number): void => repaired.inc({ domain }, count),
    ranked(domain: string, isNew: boolean, behindMs: number, rankMs: number): void {
      batches.inc({ domain, outcome: isNew ? "ranked" : "known" });
      behindSeconds.observe({ domain }, behindMs / 1000);
      rankSeconds.observe({ domain }, rankMs / 1000);
    },
  };
}
