import type { PrintedRow } from "@tally/domains/workloads";
import type { Report } from "./report.ts";

/** The head of the table that compares printed figures of a source with measured ones. */
export const printedHead =
  "| run | printed | /s | ours /s | ratio | p99 ms | ours | ratio |\n| --- | --- | --- | --- | --- | --- | --- | --- |";

/** The rows of one run of a source: one for each printed row. */
export function printedBeside(run: string, printed: readonly PrintedRow[], report: Report): readonly string[] {
  const { accepted, ranked, reads, latencyMs } = report;
  // All requests, divided by the time until the last event was ranked; where that is unknown, until the last response, and marked so.
  const requestsPerEvent = accepted.events === 0 ? 1 : (accepted.events + reads.requests) / accepted.events;
  const ours = Math.round((ranked.perSecond ?? accepted.perSecond) * requestsPerEvent);
  const shown = ranked.perSecond === null ? `${ours} (accepted)` : ours;
  return printed.map(({ description, perSecond, p99Ms, method = "POST" }) => {
    const p99 = (method === "GET" ? reads.latencyMs : latencyMs)?.p99;
    const cells = [
      run,
      description,
      perSecond,
      shown,
      (ours / perSecond).toFixed(2),
      p99Ms ?? "-",
      p99?.toFixed(1) ?? "-",
    ];
    return `| ${[...cells, p99Ms === null || p99 === undefined ? "-" : (p99 / p99Ms).toFixed(3)].join(" | ")} |`;
  });
}
