import type { AuditReport, DomainAudit, IdSet } from "@tally/reconcile";

interface Audited {
  readonly endpoint: "read" | "write";
  readonly underWay: readonly string[];
  readonly audits: readonly DomainAudit[];
  readonly acknowledged: IdSet | undefined;
  readonly waitedSeconds: number;
  readonly seconds: number;
}

const shownMax = 100_000;
const printedMax = 10;

export function reportOf({ audits, acknowledged, ...rest }: Audited): AuditReport {
  const sum = (of: (audit: DomainAudit) => number): number => audits.reduce((total, one) => total + of(one), 0);
  const stored = sum((one) => one.batches.stored);
  const notStored: string[] = [];
  for (const id of acknowledged?.unticked() ?? []) if (notStored.push(id) === shownMax) break;
  const deadLetters = sum((one) => one.ids?.deadLetters ?? 0);
  const absent = acknowledged === undefined ? 0 : acknowledged.size - acknowledged.ticked;
  return {
    ...rest,
    agrees: rest.underWay.length === 0 && absent === 0 && audits.every((one) => one.agrees),
    audit: {
      acknowledged: acknowledged?.size ?? sum((one) => one.ledger.changes),
      stored,
      ranked: sum((one) => one.batches.ranked),
      lost: absent + sum((one) => one.boards.missing + Math.max(0, one.ledger.changes - one.batches.stored)),
      keyConflicts: sum((one) => one.keyConflicts.open),
      doubled: sum((one) => (one.ids?.doubled ?? 0) + one.boards.surplus),
      ...(acknowledged === undefined
        ? {}
        : { deadLetters, unacknowledged: stored + deadLetters - acknowledged.ticked }),
    },
    notStored,
    domains: audits,
  };
}

/** The report as text. */
export function textOf(report: AuditReport): string {
  if (report.underWay.length > 0) {
    return `still under way after ${report.waitedSeconds.toFixed(1)} s, nothing was compared:\n${lines(report.underWay)}`;
  }
  const { acknowledged, stored, ranked, lost, doubled } = report.audit;
  const { deadLetters = 0, unacknowledged = 0, keyConflicts = 0 } = report.audit;
  const verdict = report.agrees ? "acknowledged = stored = ranked" : "THEY DIFFER";
  const head = [
    `${verdict}: ${acknowledged} acknowledged, ${stored} stored, ${ranked} ranked, ${lost} lost, ${doubled} doubled`,
    ...(deadLetters === 0 ? [] : [`${deadLetters} acknowledged events are dead letters`]),
    ...(keyConflicts === 0
      ? []
      : [`${keyConflicts} acknowledged events used the key of another event: dead letters of stage conflict`]),
    ...(unacknowledged === 0 ? [] : [`${unacknowledged} stored events are not in the file`]),
  ];
  const each = report.domains.map(
    ({ domain, ledger, boards }) =>
      `  ${domain}: ${ledger.batches} batches, ${ledger.events} events (${ledger.refused} dead letters), ${boards.cells} cells on ${boards.boards} boards`,
  );
  const took = `  read from the ${report.endpoint} endpoint in ${report.seconds.toFixed(1)} s`;
  return `${[...head, ...each, took].join("\n")}\n${lines(differences(report))}`;
}

function differences({ notStored, domains }: AuditReport): readonly string[] {
  return [
    ...notStored.slice(0, printedMax).map((id) => `acknowledged and not stored: ${id}`),
    ...domains.flatMap(({ domain, state, batches, boards, contradictions, ids }) => [
      ...(state.name === "dirty" ? [`${domain}: the rankings are dirty: ${state.reason}`] : []),
      ...batches.unmarked.first.map((batch) => `${domain}: batch ${batch} is stored and not ranked`),
      ...batches.miscounted.first.map(
        (one) => `${domain}: batch ${one.batch} has ${one.rows} rows, its ledger entry says ${one.ledger}`,
      ),
      ...(batches.strayMarks > 0 ? [`${domain}: ${batches.strayMarks} batches are ranked and not in the ledger`] : []),
      ...boards.differences.first.map(
        (one) => `${domain}: board ${one.board}, member ${one.member}: rows say ${one.rows}, the board ${one.ranked}`,
      ),
      ...contradictions.first.map((sentence) => `${domain}: ${sentence}`),
      ...((ids?.doubled ?? 0) > 0 ? [`${domain}: ${ids?.doubled} acknowledged ids are stored twice`] : []),
    ]),
  ];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}\n`).join("");
}
