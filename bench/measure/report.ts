import { disturbanceText } from "./machine/disturbance.ts";
import type { makeReport } from "./make-report.ts";

/** One run, as `--json` writes it. */
export type Report = ReturnType<typeof makeReport>;

/** Whether anything got a 2xx, and all accepted events are stored exactly once. */
export function isGood({ audit, agrees, accepted, reads }: Report): boolean {
  if (accepted.events + reads.requests === 0) return false;
  return agrees !== false && (audit === null || (audit.lost === 0 && audit.doubled === 0));
}

/** What is wrong with a run, or limits what its figures say, a line for each. */
export function remarksOn(report: Report): readonly string[] {
  const { client, disturbance, queue } = report;
  return [
    ...faultsOf(report),
    ...(disturbance.isDisturbed
      ? [`The run was disturbed: ${disturbanceText(disturbance)}. Its figures are not those of an idle machine.`]
      : []),
    ...(queue.isFull ? ["A queue was full: the accepted rate is the rate at which it was emptied."] : []),
    ...(client.isLimit
      ? ["The client was the bottleneck: it was never idle, or late by half of the p99. Use more --client-threads."]
      : []),
  ];
}

function faultsOf(report: Report): readonly string[] {
  if (isGood(report)) return [];
  const { accepted, reads, audit } = report;
  if (accepted.events + reads.requests === 0) return ["No request got a 2xx."];
  const lost = audit === null ? "" : `Lost ${audit.lost}, doubled ${audit.doubled}. `;
  return [`${lost}${report.agrees === false ? "The audit does not agree." : ""}`.trim()];
}
