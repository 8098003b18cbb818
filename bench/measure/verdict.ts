import type { AuditReport } from "@tally/reconcile";
import { designOf, type DesignName } from "./designs/designs.ts";

interface Verdict {
  /** `ranked` is null for a design without a ledger: there, boards are compared with rows, where it has boards. */
  readonly audit: (Omit<AuditReport["audit"], "ranked"> & { readonly ranked: number | null }) | null;
  /** null also without a ledger, when no difference was found. */
  readonly agrees: boolean | null;
  /** Equal for equal rankings. */
  readonly boardsHash: string | null;
}

/** The result of an audit for a design. Without a ledger every acknowledged id is looked up and every cell of the
 * boards is compared with the rows: a loss is found, but `agrees` is never true. */
export function verdictOf(design: DesignName, domain: string, report: AuditReport | undefined): Verdict {
  if (report === undefined) return { audit: null, agrees: null, boardsHash: null };
  const { audit, domains } = report;
  const boardsHash = domains.find((one) => one.domain === domain)?.boards.hash ?? null;
  // An event under way may be missing for that reason alone; nothing shows that it will arrive.
  const isDrained = report.underWay.length === 0;
  if (designOf(design).stores === "writer") return { audit, agrees: report.agrees && isDrained, boardsHash };
  const isContradicted = domains.some(({ contradictions }) => contradictions.count > 0);
  const differs = !isDrained || isContradicted || audit.lost + audit.doubled > 0;
  return { audit: { ...audit, ranked: null }, agrees: differs ? false : null, boardsHash };
}

/** A 2xx without an event id: the event cannot be looked up, so it counts as lost. */
export function withUnnamed(report: AuditReport, unnamed: number): AuditReport {
  if (unnamed === 0) return report;
  const { acknowledged, lost } = report.audit;
  const audit = { ...report.audit, acknowledged: acknowledged + unnamed, lost: lost + unnamed };
  return { ...report, audit, agrees: false };
}
