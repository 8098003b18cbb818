import { sampleReport } from "../report.fixture.ts";
import type { Report } from "../report.ts";
import { pointsOf, type Dimension } from "./dimensions.ts";
import { resultOf, type SweepResult } from "./sweep-result.ts";

export const connections: Dimension = { name: "connections", values: ["32", "64", "128"] };

const report = sampleReport({ client: { busy: 0.5, delayP99Ms: 1, isLimit: false } });

/** A report with this throughput and p99. */
export function sampleRun(perSecond: number, p99: number): Report {
  const latencyMs = { mean: 1, min: 1, p50: 1, p95: 1, p99, p999: p99, max: p99 };
  return { ...report, ranked: { perSecond }, latencyMs };
}

/** The result of a sweep; `figures`: throughput and p99 of the rounds of each setting. */
export function sampleResult(
  figures: readonly (readonly (readonly [perSecond: number, p99: number])[])[],
): SweepResult {
  const turns = pointsOf([connections]).flatMap((point, index) =>
    (figures[index] ?? []).map(([perSecond, p99], round) => ({ point, round, report: sampleRun(perSecond, p99) })),
  );
  return resultOf([connections], turns);
}
