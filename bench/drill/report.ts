import { quantile } from "../kit/index.ts";
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

/** The head of the drill's table. Each fault adds a row when it is over. */
export const tableHead = columns.map(([name, width]) => name.padEnd(width)).join("");

export function tableRow(outcome: FaultOutcome, number: number): string {
  const { statuses, broken, longestGapMs } = outcome.clients;
  const count = (from: number, to: number): number =>
    Object.entries(statuses).reduce(
      (sum, [status, n]) => (Number(status) >= from && Number(status) < to ? sum + n : sum),
      0,
    );
  const busy = statuses["503"] ?? 0;
  const values = [
    number,
    outcome.at.toFixed(1),
    outcome.kind,
    outcome.target,
    outcome.lasted.toFixed(1),
    count(200, 300),
    busy,
    count(300, 600) - busy,
    broken,
    (longestGapMs / 1000).toFixed(1),
    outcome.recovery.accepted.toFixed(2),
    outcome.recovery.stored.toFixed(2),
    outcome.recovery.ranked.toFixed(2),
    outcome.recovery.equal?.toFixed(1) ?? "",
  ];
  return values.map((value, index) => String(value).padEnd(columns[index]?.[1] ?? 0)).join("");
}

const row = (name: string, cells: readonly (string | number)[]): string =>
  `  ${name.padEnd(34)}${cells.map((cell) => String(cell).padEnd(14)).join("")}`;

/**
 * Seconds until recovery and lost events, for each kind of fault. Doubled counts have no time, so only the total is
 * given.
 */
function recoveryTable({ faults }: DrillReport): readonly string[] {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  const rows = Array.from(kinds, ([kind, ofKind]) => {
    const medianAndWorst = (pick: (outcome: FaultOutcome) => number | undefined): string => {
      const values = ofKind.flatMap((one) => pick(one) ?? []);
      return values.length === 0 ? "" : [0.5, 1].map((share) => quantile(values, share).toFixed(1)).join(" / ");
    };
    return row(kind, [
      ofKind.length,
      medianAndWorst(({ recovery }) => recovery.accepted),
      medianAndWorst(({ recovery }) => recovery.stored),
      medianAndWorst(({ recovery }) => recovery.ranked),
      medianAndWorst(({ recovery }) => recovery.equal),
      medianAndWorst(({ clients }) => clients.longestGapMs / 1000),
      ofKind.reduce((sum, { lost }) => sum + lost, 0),
    ]);
  });
  const names = ["faults", "accepted", "stored", "ranked", "equal", "no 2xx for", "lost"];
  return [row("seconds, median / worst", names), ...rows];
}

function domainTable({ domains }: DrillReport): readonly string[] {
  return [
    row("domain", ["acknowledged", "stored", "ranked", "lost", "units missing", "units surplus"]),
    ...domains.map((one) =>
      row(one.domain, [one.acknowledged, one.stored, one.ranked, one.lost, one.missing, one.surplus]),
    ),
  ];
}

/** The result as text. */
export function summaryOf(report: DrillReport): string {
  const { audit, load, faults, contents, differences } = report;
  const { reused } = load;
  return [
    ...recoveryTable(report),
    "",
    ...domainTable(report),
    "",
    `${faults.length} faults in ${load.seconds.toFixed(0)} s, ${report.eventsPerSecond} events/s`,
    `${audit.acknowledged} acknowledged, ${audit.stored} stored, ${audit.ranked} ranked: ` +
      `${audit.lost} lost, ${audit.doubled} doubled (audit: ${report.auditSeconds.toFixed(1)} s)`,
    `${load.repeated} repeated on purpose, ${load.partialRetries} bulk requests repeated in part; ` +
      `reused keys: ${reused.rejected} rejected, ${reused.acknowledged} acknowledged; ` +
      `${contents.checked} contents compared`,
    ...faults.flatMap(({ kind, recovery: { heldAfter } }) =>
      heldAfter === undefined
        ? []
        : [`  load held ${heldAfter.toFixed(0)} s after "${kind}", until a new event was ranked`],
    ),
    ...faults.filter(({ lost }) => lost > 0).map(({ kind, lost }) => `  lost ${lost} around "${kind}"`),
    ...differences.map((difference) => `  ${difference}`),
  ].join("\n");
}

/** Whether nothing was lost, nothing doubled, and no other difference was found. */
export function isGood({ audit, differences }: DrillReport): boolean {
  return audit.lost === 0 && audit.doubled === 0 && differences.length === 0;
}
