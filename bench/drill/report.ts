import { quantile } from "../kit/index.ts";
import type { DrillReport, FaultOutcome } from "./drill.ts";

type Cell = string | number;

const countOf = ({ clients }: FaultOutcome, isMeant: (status: number) => boolean): number =>
  Object.entries(clients.statuses).reduce((sum, [status, count]) => (isMeant(Number(status)) ? sum + count : sum), 0);

type Column = readonly [name: string, width: number, of: (outcome: FaultOutcome, number: number) => Cell];

const columns: readonly Column[] = [
  ["#", 4, (_, number) => number],
  ["at s", 7, ({ at }) => at.toFixed(1)],
  ["fault", 32, ({ kind }) => kind],
  ["target", 30, ({ target }) => target],
  ["lasted", 7, ({ lasted }) => lasted.toFixed(1)],
  ["2xx", 7, (outcome) => countOf(outcome, (status) => status < 300)],
  ["503", 6, (outcome) => countOf(outcome, (status) => status === 503)],
  ["other", 6, (outcome) => countOf(outcome, (status) => status >= 300 && status !== 503)],
  ["broken", 7, ({ clients }) => clients.broken],
  ["gap s", 6, ({ clients }) => (clients.longestGapMs / 1000).toFixed(1)],
  ["accepted", 9, ({ recovery }) => recovery.accepted.toFixed(2)],
  ["stored", 7, ({ recovery }) => recovery.stored.toFixed(2)],
  ["ranked", 7, ({ recovery }) => recovery.ranked.toFixed(2)],
  ["equal", 6, ({ recovery }) => recovery.equal?.toFixed(1) ?? ""],
];

/** The head of the drill's table. Each fault adds a row when it is over. */
export const tableHead = columns.map(([name, width]) => name.padEnd(width)).join("");

export const tableRow = (outcome: FaultOutcome, number: number): string =>
  columns.map(([, width, of]) => String(of(outcome, number)).padEnd(width)).join("");

const row = (name: string, cells: readonly Cell[]): string =>
  `  ${name.padEnd(34)}${cells.map((cell) => String(cell).padEnd(14)).join("")}`;

/** Seconds until recovery, for each kind of fault. */
function recoveryTable({ faults }: DrillReport): readonly string[] {
  const rows = Array.from(
    Map.groupBy(faults, ({ kind }) => kind),
    ([kind, ofKind]) => {
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
      ]);
    },
  );
  const names = ["faults", "accepted", "stored", "ranked", "equal", "no 2xx for"];
  return [row("seconds, median / worst", names), ...rows];
}

export function summaryOf(report: DrillReport): string {
  const { audit, load, faults, contents, differences } = report;
  const { reused } = load;
  return [
    ...recoveryTable(report),
    "",
    row("domain", ["acknowledged", "stored", "ranked", "units missing", "units surplus"]),
    ...report.domains.map((one) =>
      row(one.domain, [one.acknowledged, one.stored, one.ranked, one.missing, one.surplus]),
    ),
    "",
    `${faults.length} faults in ${load.seconds.toFixed(0)} s, ${report.eventsPerSecond} events/s`,
    `${audit.acknowledged} acknowledged, ${audit.stored} stored, ${audit.ranked} ranked: ` +
      `${audit.lost} lost, ${audit.doubled} doubled (audit: ${report.auditSeconds.toFixed(1)} s)`,
    `${load.repeated} repeated on purpose, ${load.partialRetries} bulk requests repeated in part; ` +
      `reused keys: ${reused.rejected} rejected, ${reused.acknowledged} acknowledged; ` +
      `${contents.checked} contents compared`,
    ...(report.lostByDatabase > 0
      ? [`  ${report.lostByDatabase} events were in commits that a promoted replica did not have: lost by the database`]
      : []),
    ...faults
      .filter(({ recovery }) => recovery.heldAfter !== undefined)
      .map(
        ({ kind, recovery }) =>
          `  load held ${recovery.heldAfter?.toFixed(0)} s after "${kind}", until a new event was ranked`,
      ),
    ...differences.map((difference) => `  ${difference}`),
  ].join("\n");
}

export function isGood({ audit, differences }: DrillReport): boolean {
  return audit.lost === 0 && audit.doubled === 0 && differences.length === 0;
}
