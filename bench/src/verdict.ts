import type { AuditReport } from "@tally/reconcile";
import { designOf, type DesignName } from "./designs/designs.ts";
import type { Report } from "./report.ts";

type Verdict = Pick<Report, "audit" | "agrees" | "boardsHash">;

/**
 * What an audit shows of a design. One that keeps no ledger has nothing to compare rows and marks with: every row is counted, every
 * acknowledged id looked for and, where it ranks, every cell of its boards compared with the rows. So it can be found out, but never agrees.
 */
export function verdictOf(design: DesignName, domain: string, report: AuditReport | undefined): Verdict {
  if (report === undefined) return { audit: null, agrees: null, boardsHash: null };
  const { stores, ranks = true } = designOf(design);
  const hash = report.domains.find((one) => one.domain === domain)?.boards.hash ?? null;
  // What is still under way may be missing for no other reason; it is not shown to be there either.
  const isDrained = report.underWay.length === 0;
  if (stores === "writer") return { audit: report.audit, agrees: report.agrees && isDrained, boardsHash: hash };

  const sum = (of: (one: AuditReport["domains"][number]) => number): number =>
    report.domains.reduce((total, one) => total + of(one), 0);
  const { acknowledged, stored } = report.audit;
  const absent = Math.max(0, acknowledged - sum(({ ids }) => (ids?.stored ?? 0) + (ids?.deadLetters ?? 0)));
  const audit = {
    acknowledged,
    stored,
    ranked: null,
    lost: absent + (ranks ? sum(({ boards }) => boards.missing) : 0),
    doubled: sum(({ ids, boards }) => (ids?.doubled ?? 0) + (ranks ? boards.surplus : 0)),
  };
  const contradictions = sum((one) => one.contradictions.count);
  const differs = !isDrained || audit.lost + audit.doubled + contradictions > 0;
  return { audit, agrees: differs ? false : null, boardsHash: ranks ? hash : null };
}

/** Acknowledged with an answer that named no event: nobody can look for it, so it counts as lost. */
export function withUnnamed(report: AuditReport, unnamed: number): AuditReport {
  if (unnamed === 0) return report;
  const { acknowledged, lost } = report.audit;
  const audit = { ...report.audit, acknowledged: acknowledged + unnamed, lost: lost + unnamed };
  return { ...report, audit, agrees: false };
}
