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
export function remarksOn(name: string, report: Report): readonly string[] {
  const { client, disturbance } = report;
  return [
    ...faultsOf(report),
    ...(client.isLimit ? ["the client was the bottleneck"] : []),
    ...(disturbance.isDisturbed ? [`disturbed: ${disturbanceText(disturbance)}`] : []),
  ].map((remark) => `${name}: ${remark}`);
}

function faultsOf(report: Report): readonly string[] {
  if (isGood(report)) return [];
  const { accepted, reads, audit } = report;
  if (accepted.events + reads.requests === 0) return ["no request got a 2xx"];
  const causes = [
    ...(audit === null ? [] : [`lost ${audit.lost}, doubled ${audit.doubled}`]),
    ...(report.agrees === false ? ["the audit does not agree"] : []),
  ];
  return [causes.join(", ")];
}
