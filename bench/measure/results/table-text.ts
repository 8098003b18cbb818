import { arrangementOf, nameOf } from "../printed/arrangements.ts";
import type { PrintedSource } from "../printed/printed-sources.ts";
import type { PrintedRow } from "../printed/printed-row.ts";
import { besideOf } from "./beside.ts";
import { columnsOf, comparableFigures, rateColumn, shown, type Column, type Figures } from "./figures-of.ts";
import { withoutOtherScales } from "./run-files.ts";
import type { StoredRun } from "./stored-run.ts";

/**
 * Every printed row of a source as a table in Markdown: a line with the printed figures, a line with each run of ours beside it, and the ratio of
 * the rates. A row without a run says why. Runs that no row compares with come last.
 */
export function tableText({ rows }: Pick<PrintedSource, "rows">, allRuns: readonly StoredRun[]): readonly string[] {
  const runs = withoutOtherScales(allRuns);
  const columns = columnsOf(rows);
  const heads = ["load", "server", "ratio", ...columns.map(({ name }) => name)];
  return [
    lineOf(heads),
    lineOf(heads.map(() => "---")),
    ...rows.flatMap((row) => linesOf(row, runs, columns)),
    ...unnamedLines(rows, runs, columns),
  ];
}

/** The runs that stand beside no row. */
function unnamedLines(
  rows: readonly PrintedRow[],
  runs: readonly StoredRun[],
  columns: readonly Column[],
): readonly string[] {
  const named = new Set(rows.flatMap((row) => Object.values<StoredRun | undefined>({ ...besideOf(row, runs) })));
  return runs
    .filter((run) => !named.has(run))
    .map((run) => lineOf([run.load, `ours: ${markedNameOf(run)}`, "", ...cells(comparableFigures(run), columns)]));
}

function linesOf(row: PrintedRow, runs: readonly StoredRun[], columns: readonly Column[]): readonly string[] {
  const { same, asItIs } = besideOf(row, runs);
  const ours = [same, asItIs].filter((run) => run !== undefined);
  return [
    lineOf([row.load, `printed: ${row.server}`, "", ...cells(row, columns)]),
    ...(same === undefined ? [lineOf(["", whyAbsent(row), "", ...columns.map(() => "")])] : []),
    ...ours.map((run) =>
      lineOf(["", `ours: ${markedNameOf(run)}`, ratioOf(run, row), ...cells(comparableFigures(run), columns)]),
    ),
  ];
}

/** Why there is no run with the row's arrangement. */
export function whyAbsent(row: PrintedRow): string {
  const arrangement = arrangementOf(row);
  if (arrangement !== undefined) return `not among these runs: ${nameOf(arrangement)}`;
  return "reason" in row.beside ? `not repeated: ${row.beside.reason}` : "";
}

/** The arrangement of a run, with its scale, its settings, whether other work disturbed it, and what went wrong. */
export function markedNameOf(run: StoredRun): string {
  const { gateways, scale, settings, isDisturbed } = run;
  const marks = [
    ...(scale === 1 ? [] : [`scale ${scale}`]),
    ...Object.entries(settings).map(([variable, value]) => `${variable}=${value}`),
    ...(isDisturbed === true ? ["disturbed"] : []),
    ...faultMarks(run),
  ];
  const name = gateways === null ? "a running system" : nameOf({ ...run, gateways });
  return marks.length === 0 ? name : `${name} (${marks.join(", ")})`;
}

function faultMarks({ lost, doubled, isGood, perSecond }: StoredRun): readonly string[] {
  const counted = [
    ...((lost ?? 0) > 0 ? [`lost ${lost}`] : []),
    ...((doubled ?? 0) > 0 ? [`doubled ${doubled}`] : []),
    ...(perSecond === null ? ["did not drain"] : []),
  ];
  return isGood || counted.length > 0 ? counted : ["not good"];
}

/** Our rate divided by the printed one; "" where it is not printed. */
export function ratioOf(run: Figures, row: Figures): string {
  const [ours, printed] = [rateColumn.of(run), rateColumn.of(row)];
  return ours === undefined || printed === undefined ? "" : (ours / printed).toFixed(2);
}

function cells(figures: Figures, columns: readonly Column[]): readonly string[] {
  return columns.map(({ of, digits }) => shown(of(figures), digits));
}

function lineOf(texts: readonly string[]): string {
  return `| ${texts.join(" | ")} |`;
}
