import { Counter, createMetrics, Histogram } from "@tally/service";

/** Metrics of one ranker thread, updated once for each batch. */
export function rankerMetrics(thread: number) {
  const registry = createMetrics({ thread });
  const registers = [registry];
  const batches = new Counter({
    name: "tally_ranker_batches_total",
    help: "Batches by outcome: applied, or known, which means that they were counted before",
    labelNames: ["domain", "outcome"] as const,
    registers,
  });
  const behindSeconds = new Histogram({
    name: "tally_ranker_ranked_after_seconds",
    help: "From the commit of a batch until it is counted",
    labelNames: ["domain"] as const,
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60],
    registers,
  });
  const repaired = new Counter({
    name: "tally_ranker_healed_batches_total",
    help: "Batches that the auditor counted from the ledger",
    labelNames: ["domain"] as const,
    registers,
  });
  const generations = new Counter({
    name: "tally_ranker_generations_total",
    help: "Generations of the rankings that were rebuilt from the rows",
    labelNames: ["domain"] as const,
    registers,
  });
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
