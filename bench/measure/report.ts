import { disturbanceText, disturbedAbovePercent } from "./machine/disturbance.ts";
import type { makeReport } from "./make-report.ts";

/** One run, as `--json` writes it. */
export type Report = ReturnType<typeof makeReport>;

/** Whether anything got a 2xx, and all accepted events are stored exactly once. */
export function isGood({ audit, agrees, accepted, reads, followed, subscriber }: Report): boolean {
  if (accepted.events + reads.requests === 0) return false;
  // A batch that was published twice is received twice, and stored once.
  if (subscriber !== undefined && subscriber.received < subscriber.stored) return false;
  // Nothing more is known about a system that the bench has not started.
  if (audit === null && followed !== null && followed.neverStored > 0) return false;
  return agrees !== false && (audit === null || (audit.lost === 0 && audit.doubled === 0));
}

/** What went wrong in a run, where its figures do not show it. */
export function faultsOf(name: string, report: Report): readonly string[] {
  if (isGood(report)) return [];
  const { accepted, reads, audit, subscriber, followed } = report;
  if (accepted.events + reads.requests === 0) return [`${name}: no request got a 2xx`];
  const missing = subscriber === undefined ? 0 : subscriber.stored - subscriber.received;
  const causes = [
    ...(audit === null ? [] : [`lost ${audit.lost}, doubled ${audit.doubled}`]),
    ...(report.agrees === false ? ["the audit does not agree"] : []),
    ...(missing > 0 ? [`the third subscriber lacks ${missing} batches`] : []),
    ...(audit === null && (followed?.neverStored ?? 0) > 0
      ? [`${followed?.neverStored} of ${followed?.events} followed events were never stored`]
      : []),
  ];
  return [`${name}: ${causes.join(", ")}`];
}

/** What follows the name of a run in a comparison: " *" for a disturbed one. */
export function markOf({ disturbance }: Report): "" | " *" {
  return disturbance.isDisturbed === true ? " *" : "";
}

/** The lines below a comparison that explain its marks. Empty: no run was disturbed. */
export function markedLines(runs: readonly { readonly name: string; readonly report: Report }[]): readonly string[] {
  const marked = runs.filter(({ report }) => markOf(report) !== "");
  if (marked.length === 0) return [];
  return [
    `* disturbed: other processes and the hypervisor took more than ${disturbedAbovePercent} % of the machine's CPU time`,
    ...marked.map(({ name, report }) => `  ${name}: ${disturbanceText(report.disturbance)}`),
  ];
}
