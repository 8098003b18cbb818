import { disturbanceText } from "./machine/disturbance.ts";
import type { makeReport } from "./make-report.ts";

/** One run, as `--json` writes it. */
export type Report = ReturnType<typeof makeReport>;

/** Whether anything got a 2xx, a POST if any was sent, and all accepted events are stored exactly once. */
export function isGood(report: Report): boolean {
  const { audit, agrees } = report;
  if (withoutGood(report) !== undefined) return false;
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
  const { audit } = report;
  const requests = withoutGood(report);
  if (requests !== undefined) return [`No ${requests} got a 2xx.`];
  const lost = audit === null ? "" : `Lost ${audit.lost}, doubled ${audit.doubled}. `;
  return [`${lost}${report.agrees === false ? "The audit does not agree." : ""}`.trim()];
}

/** Which requests were sent and got no 2xx. */
function withoutGood({ accepted, reads, errors }: Report): "request" | "POST" | undefined {
  if (accepted.events > 0) return undefined;
  if (reads.requests === 0) return "request";
  return errors.non2xx + errors.timeouts + errors.connections > errors.ofReads ? "POST" : undefined;
}
