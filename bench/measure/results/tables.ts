import { changes, type PrintedRow } from "./printed-rows.ts";
import { nameOf, type PrintedSource } from "./printed-sources.ts";
import { withoutOtherScales } from "./run-files.ts";
import { bestFirst, type StoredRun } from "./stored-run.ts";
import { scaledText } from "../text-of.ts";

/* Tables in Markdown. */

/** A line for every printed row: its figures, ours with the arrangement that compares, or why there are none. `runs`:
 * those of the source. */
export function figureTable(source: PrintedSource, runs: readonly StoredRun[]): readonly string[] {
  const heads = ["load", "server", "/s", "ours", "ratio", "p99 ms", "ours", "ours is"];
  const largest = withoutOtherScales(runs);
  const lines = source.rows.map((row) => {
    const [run] = runsBeside(row, largest);
    const p99 = run?.p99Ms[source.name === "S1" ? "all" : "post"];
    const ratio = run?.perSecond && row.perSecond ? (run.perSecond / row.perSecond).toFixed(2) : "";
    return [
      row.load,
      row.server,
      numberText(row.perSecond),
      numberText(run?.perSecond),
      ratio,
      numberText(row.p99Ms),
      row.p99Ms === null ? "" : numberText(p99),
      run === undefined ? absenceOf(row) : markedNameOf(run),
    ];
  });
  return table(heads, lines);
}

/** What each change did to the rate: in the source, and with us. `runs`: those of the source, of all scales. */
export function changeTable({ name, rows }: PrintedSource, runs: readonly StoredRun[]): readonly string[] {
  const lines = (changes[name] ?? []).map(([title, of, against]) => {
    const [changed, before] = [rowNamed(rows, of), rowNamed(rows, against)];
    const pairs = runsBeside(changed, runs).flatMap((one) => runsBeside(before, runs).map((other) => [one, other]));
    // Runs of the same size where there are two.
    const [ours, other] = pairs.find(([one, another]) => one?.scale === another?.scale) ?? pairs[0] ?? [];
    const isSameSize = ours?.scale === other?.scale;
    return [
      title,
      quotient(changed.perSecond, before.perSecond),
      ours === other
        ? ""
        : `${quotient(ours?.perSecond, other?.perSecond)}${isSameSize ? "" : " (different numbers of requests)"}`,
    ];
  });
  return table(["change", "printed rate, factor", "our rate, factor"], lines);
}

/** How many gateways each load had with the source's scaling rule. */
export function scalingTable({ loads }: PrintedSource, runs: readonly StoredRun[]): readonly string[] {
  const all = withoutOtherScales(runs);
  const lines = loads.flatMap(({ description }) =>
    all.flatMap((run) => {
      const { load, perSecond, p99Ms, scaled } = run;
      if (scaled === undefined || load !== description) return [];
      return [[load, numberText(perSecond), numberText(p99Ms.all), scaledText(scaled), markedNameOf(run)]];
    }),
  );
  return lines.length === 0 ? [] : table(["load", "/s", "p99 ms", "gateways", "ours is"], lines);
}

/** The runs with the arrangement that a row compares with, the best first. */
function runsBeside({ load, beside }: PrintedRow, runs: readonly StoredRun[]): readonly StoredRun[] {
  if (typeof beside === "string") return [];
  return runs.filter((run) => run.load === load && nameOf(run) === nameOf(beside)).toSorted(bestFirst);
}

function absenceOf({ beside }: PrintedRow): string {
  return typeof beside === "string" ? beside : `not measured: ${nameOf(beside)}`;
}

/** The arrangement of a run, with its scale, whether other work disturbed it, and what went wrong. */
export function markedNameOf(run: StoredRun): string {
  const { scale, isDisturbed, lost, doubled, isGood, perSecond } = run;
  const faults = [
    ...((lost ?? 0) > 0 ? [`lost ${lost}`] : []),
    ...((doubled ?? 0) > 0 ? [`doubled ${doubled}`] : []),
    ...(perSecond === null ? ["did not drain"] : []),
  ];
  const marks = [
    ...(scale === 1 ? [] : [`scale ${scale}`]),
    ...(isDisturbed ? ["disturbed"] : []),
    ...(isGood || faults.length > 0 ? faults : ["not good"]),
  ];
  return marks.length === 0 ? nameOf(run) : `${nameOf(run)} (${marks.join(", ")})`;
}

function table(heads: readonly string[], lines: readonly (readonly string[])[]): readonly string[] {
  return [heads, heads.map(() => "---"), ...lines].map((cells) => `|${cells.join("|")}|`);
}

function quotient(value: number | null | undefined, before: number | null | undefined): string {
  return value && before ? (value / before).toFixed(2) : "";
}

function numberText(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : value.toLocaleString("en", { maximumFractionDigits: 0 });
}

function rowNamed(rows: readonly PrintedRow[], id: string): PrintedRow {
  const found = rows.find((row) => row.id === id);
  if (found === undefined) throw new RangeError(`there is no row ${id}`);
  return found;
}
