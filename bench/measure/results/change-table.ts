import type { PrintedRow } from "../printed/printed-row.ts";
import { runsBeside } from "./beside.ts";
import { rateColumn } from "./figures-of.ts";
import { escaped } from "../page/escaped.ts";
import type { Change } from "./lessons/lesson.ts";
import type { StoredRun } from "./stored-run.ts";

/** What each change did to the rate: in the source, and with us. */
export function changeTable(
  changes: readonly Change[],
  rows: readonly PrintedRow[],
  runs: readonly StoredRun[],
): string {
  const lines = changes.map(({ name, of, against }) => {
    const [changed, before] = [rowNamed(rows, of), rowNamed(rows, against)];
    const [ours, oursBefore] = pairOf(runsBeside(changed, runs), runsBeside(before, runs));
    const cells = [quotient(rateColumn.of(changed), rateColumn.of(before)), ourQuotient(ours, oursBefore)];
    return `<tr><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  return `<div class="wide"><table id="changes">
<thead><tr><th scope="col">change</th><th scope="col">printed rate, factor</th><th scope="col">our rate, factor</th></tr></thead>
<tbody>
${lines.join("\n")}
</tbody>
</table></div>`;
}

/** The best two runs of the same scale; else the best of each. */
function pairOf(
  changed: readonly StoredRun[],
  before: readonly StoredRun[],
): readonly [StoredRun | undefined, StoredRun | undefined] {
  const pairs = changed.flatMap((ours) => before.map((other) => [ours, other] as const));
  return pairs.find(([ours, other]) => ours.scale === other.scale) ?? [changed[0], before[0]];
}

function ourQuotient(ours: StoredRun | undefined, before: StoredRun | undefined): string {
  if (ours === undefined || before === undefined) return "no run";
  if (ours === before) return "the same run";
  if (ours.perSecond === null || before.perSecond === null) return "unknown";
  const marks = [
    ...(ours.scale === before.scale ? [] : ["different scales"]),
    ...([ours, before].some(({ isDisturbed }) => isDisturbed === true) ? ["disturbed"] : []),
  ];
  return `${quotient(ours.perSecond, before.perSecond)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
}

function quotient(value: number | undefined, before: number | undefined): string {
  return value === undefined || before === undefined ? "" : (value / before).toFixed(2);
}

function rowNamed(rows: readonly PrintedRow[], id: string): PrintedRow {
  const found = rows.find((row) => row.id === id);
  if (found === undefined) throw new RangeError(`there is no row ${id}`);
  return found;
}
