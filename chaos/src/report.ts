import type { DrillReport, FaultOutcome } from "./drill.ts";

const columns = [
  ["#", 4],
  ["at s", 7],
  ["fault", 32],
  ["target", 30],
  ["lasted", 7],
  ["2xx", 7],
  ["503", 6],
  ["other", 6],
  ["broken", 7],
  ["gap s", 6],
  ["accepted", 9],
  ["stored", 7],
  ["ranked", 7],
  ["equal", 6],
] as const;

/** The head of the drill's table; a row for each fault follows as it happens. */
export const tableHead = columns.map(([name, width]) => name.padEnd(width)).join("");

export function tableRow(outcome: FaultOutcome, number: number): string {
  const { answers, broken, silent, longestGapMs } = outcome.clients;
  const count = (from: number, to: number): number =>
    Object.entries(answers).reduce(
      (sum, [status, n]) => (Number(status) >= from && Number(status) < to ? sum + n : sum),
      0,
    );
  const busy = answers["503"] ?? 0;
  const values = [
    number,
    outcome.at.toFixed(1),
    outcome.kind,
    outcome.target,
    outcome.lasted.toFixed(1),
    count(200, 300),
    busy,
    count(300, 600) - busy,
    broken + silent,
    (longestGapMs / 1000).toFixed(1),
    outcome.recovery.accepted.toFixed(2),
    outcome.recovery.stored.toFixed(2),
    outcome.recovery.ranked.toFixed(2),
    outcome.recovery.equal?.toFixed(1) ?? "",
  ];
  return values.map((value, index) => String(value).padEnd(columns[index]?.[1] ?? 0)).join("");
}

/**
 * Seconds from the end of a fault to recovery, for each kind of a drill, and what was lost around it. What was doubled has no moment: boards
 * have too much, and it is told of the whole.
 */
function recoveryTable({ faults }: Pick<DrillReport, "faults">): string {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  const rows = [...kinds].map(([kind, ofKind]) => {
    const of = (pick: (outcome: FaultOutcome) => number | undefined): string => {
      const values = ofKind.flatMap((one) => pick(one) ?? []).toSorted((a, b) => a - b);
      if (values.length === 0) return "";
      const median = values[Math.floor((values.length - 1) / 2)] ?? 0;
      return `${median.toFixed(1)} / ${values.at(-1)?.toFixed(1)}`;
    };
    const cells = [
      of(({ recovery }) => recovery.accepted),
      of(({ recovery }) => recovery.stored),
      of(({ recovery }) => recovery.ranked),
      of(({ recovery }) => recovery.equal),
      of(({ clients }) => clients.longestGapMs / 1000),
      String(ofKind.reduce((sum, { lost }) => sum + lost, 0)),
    ];
    return `  ${kind.padEnd(34)}${String(ofKind.length).padEnd(7)}${cells.map((cell) => cell.padEnd(14)).join("")}`;
  });
  const head = `  ${"seconds, median / worst".padEnd(34)}${"faults".padEnd(7)}${["accepted", "stored", "ranked", "equal", "no 2xx for", "lost"].map((name) => name.padEnd(14)).join("")}`;
  return [head, ...rows].join("\n");
}

function domainTable({ domains }: DrillReport): string {
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `  ${name.padEnd(34)}${cells.map((cell) => String(cell).padEnd(14)).join("")}`;
  return [
    row("domain", ["acknowledged", "stored", "ranked", "lost", "units missing", "units surplus"]),
    ...domains.map((one) =>
      row(one.domain, [one.acknowledged, one.stored, one.ranked, one.lost, one.missing, one.surplus]),
    ),
  ].join("\n");
}

/** The verdict, for a person. */
export function verdictOf(report: DrillReport): string {
  const { audit, load, faults, differences } = report;
  const hit = faults.filter(({ lost }) => lost > 0).map(({ kind, lost }) => `  lost ${lost} around "${kind}"`);
  return [
    recoveryTable(report),
    "",
    domainTable(report),
    "",
    `${faults.length} faults in ${load.seconds.toFixed(0)} s, ${report.eventsPerSecond} events/s, ${load.repeated} sent again on purpose`,
    `${audit.acknowledged} acknowledged, ${audit.stored} stored, ${audit.ranked} ranked: ${audit.lost} lost, ${audit.doubled} doubled (audit: ${report.auditSeconds.toFixed(1)} s)`,
    `${load.reused.rejected} reused keys rejected, ${load.reused.acknowledged} acknowledged; ${load.partialRetries} bulk requests sent again in part; ${report.contents.checked} contents compared`,
    ...hit,
    ...differences.map((difference) => `  ${difference}`),
  ].join("\n");
}

/** Whether nothing was lost, nothing doubled, and nothing else was found. */
export function isGood({ audit, differences }: DrillReport): boolean {
  return audit.lost === 0 && audit.doubled === 0 && differences.length === 0;
}
