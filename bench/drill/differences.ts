import type { AuditReport } from "@tally/reconcile";
import type { ContentCheck } from "./check-contents.ts";
import type { FaultOutcome } from "./drill.ts";
import type { Letters } from "./kinds/fault-kind.ts";
import type { Totals } from "./load/protocol.ts";

/** What did not recover in time after a fault. */
export function lateness({ kind, at, recovery: { late } }: FaultOutcome): readonly string[] {
  return late.map((what) => `not ${what} in time after "${kind}" at ${at.toFixed(1)} s`);
}

/** Where the load, the audit and the dead letters contradict each other. */
export function differences(load: Totals, audited: AuditReport, poisoned: Letters, kept: Letters): readonly string[] {
  const { agrees, audit, underWay } = audited;
  const { unacknowledged = 0 } = audit;
  const found: string[] = underWay.map((what) => `still under way: ${what}`);
  if (!agrees) found.push("the audit found differences");
  if (unacknowledged > load.unknown) {
    found.push(`${unacknowledged} unacknowledged rows, but only ${load.unknown} requests without a response`);
  }
  if (unacknowledged === 0 && audit.lost === 0) found.push(...unitsThatDiffer(load, audited));
  if (load.otherIds > 0) found.push(`${load.otherIds} repetitions got another id than their event`);
  if (load.refused > 0) found.push(`${load.refused} requests were rejected, the first with ${load.firstRefusal}`);
  for (const stage of ["events", "messages"] as const) {
    if (poisoned[stage] !== kept[stage]) {
      found.push(`stage ${stage}: ${poisoned[stage]} injected, ${kept[stage]} dead letters`);
    }
  }
  return found;
}

export function contentDifferences({ wrong, firstWrong }: ContentCheck): readonly string[] {
  if (wrong === 0) return [];
  return [`${wrong} acknowledged contents are in no row and in no dead letter, the first of ${firstWrong}`];
}

function unitsThatDiffer(load: Totals, { domains }: AuditReport): readonly string[] {
  return domains.flatMap(({ domain, boards: { units } }) => {
    const expected = load.domains.find((one) => one.domain === domain)?.units;
    if (expected === undefined || expected === units) return [];
    return [`the rows of ${domain} add up to ${units} units, the acknowledged events to ${expected}`];
  });
}
