import { Counter, createMetrics, Histogram } from "@tally/service";

/** Metrics of one ranker thread, updated once for each batch. */
export function rankerMetrics(thread: number) {
  const registry = createMetrics({ thread });
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const batches = counter(
    "tally_ranker_batches_total",
    "Batches by outcome: applied (counted now) or known (counted before)",
    "domain",
    "outcome",
  );
  const behindSeconds = new Histogram({
    name: "tally_ranker_ranked_after_seconds",
    help: "Time from the commit of a batch until it is counted",
    labelNames: ["domain"] as const,
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60],
    registers,
  });
  const repaired = counter(
    "tally_ranker_healed_batches_total",
    "Batches that the auditor counted from the ledger",
    "domain",
  );
  const generations = counter("tally_ranker_generations_total", "Rebuilds of the rankings from the rows", "domain");
  return {
    registry,
    rebuilt(domain: string): void {
      generations.inc({ domain });
    },
    repaired(domain: string, count: number): void {
      repaired.inc({ domain }, count);
    },
    ranked(domain: string, isNew: boolean, behindMs: number): void {
      batches.inc({ domain, outcome: isNew ? "applied" : "known" });
      behindSeconds.observe({ domain }, behindMs / 1000);
    },
  };
}
