import type { PrintedRow } from "@tally/domains/workloads";
import type { Report } from "./report.ts";

/** The head of a table of what a source printed beside what was measured here. */
export const printedHead =
  "| run | printed | /s | ours /s | ratio | p99 ms | ours | ratio |\n| --- | --- | --- | --- | --- | --- | --- | --- |";

/** One run of a source: a row for each that was printed of it. */
export function printedBeside(run: string, printed: readonly PrintedRow[], report: Report): readonly string[] {
  const { accepted, ranked, reads, latencyMs } = report;
  // All requests, by the time until the last event was ranked; where that is not known, or never came, until the last answer, and so marked.
  const requestsPerEvent = accepted.events === 0 ? 1 : (accepted.events + reads.requests) / accepted.events;
  const ours = Math.round((ranked.perSecond ?? accepted.perSecond) * requestsPerEvent);
  const told = ranked.perSecond === null ? `${ours} (accepted)` : ours;
  return printed.map(({ description, perSecond, p99Ms, method = "POST" }) => {
    const p99 = (method === "GET" ? reads.latencyMs : latencyMs)?.p99;
    const cells = [
      run,
      description,
      perSecond,
      told,
      (ours / perSecond).toFixed(2),
      p99Ms ?? "-",
      p99?.toFixed(1) ?? "-",
    ];
    return `| ${[...cells, p99Ms === null || p99 === undefined ? "-" : (p99 / p99Ms).toFixed(3)].join(" | ")} |`;
  });
}
