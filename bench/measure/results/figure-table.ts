import type { PrintedSource } from "../printed/printed-sources.ts";
import type { PrintedRow } from "../printed/printed-row.ts";
import { besideOf } from "./beside.ts";
import { columnsOf, comparableFigures, shown, type Column, type Figures } from "./figures-of.ts";
import { escaped } from "../page/escaped.ts";
import type { StoredRun } from "./stored-run.ts";
import { markedNameOf, ratioOf, whyAbsent } from "./table-text.ts";

/** The table of all printed rows, each a `tbody` of its printed line and our lines, and the notes to them. */
export function figureTable({ rows }: Pick<PrintedSource, "rows">, runs: readonly StoredRun[]): string {
  const columns = columnsOf(rows);
  const notes = rows.flatMap((row) => row.notes);
  // The same sentence has one number.
  const numbered = [...new Set(notes)];
  const heads = ["load", "server", "ratio", ...columns.map(({ name }) => name)];
  return `<div class="wide"><table id="rows">
<thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join("")}</tr></thead>
${rows.map((row) => bodyOf(row, { runs, columns, numbered })).join("\n")}
</table></div>
<p class="key">Each row: first the printed figures, then ours with the arrangement that compares, then tally as it is where that is another one. Ratio: our requests a second divided by the printed ones.</p>
<ol class="notes">
${numbered.map((note, index) => `<li id="note-${index + 1}">${escaped(note)}</li>`).join("\n")}
</ol>`;
}

interface Around {
  readonly runs: readonly StoredRun[];
  readonly columns: readonly Column[];
  readonly numbered: readonly string[];
}

function bodyOf(row: PrintedRow, { runs, columns, numbered }: Around): string {
  const { same, asItIs } = besideOf(row, runs);
  const marks = row.notes.map((note) => numbered.indexOf(note) + 1).map((n) => `<a href="#note-${n}">${n}</a>`);
  const mark = marks.length === 0 ? "" : ` <sup>${marks.join(" ")}</sup>`;
  const lines = [
    `<tr class="printed"><th scope="row">${escaped(row.load)}</th><td class="server">${escaped(row.server)}${mark}</td><td></td>${cells(row, columns)}</tr>`,
    ...(same === undefined
      ? [
          `<tr class="absent"><th></th><td class="server" colspan="${columns.length + 2}">${escaped(whyAbsent(row))}</td></tr>`,
        ]
      : []),
    ...[same, asItIs]
      .filter((run) => run !== undefined)
      .map(
        (run) =>
          `<tr class="ours"><th></th><td class="server">ours: ${escaped(markedNameOf(run))}</td><td>${ratioOf(run, row)}</td>${cells(comparableFigures(run), columns)}</tr>`,
      ),
  ];
  return `<tbody data-row="${escaped(row.id)}">\n${lines.join("\n")}\n</tbody>`;
}

function cells(figures: Figures, columns: readonly Column[]): string {
  return columns.map(({ of, digits }) => `<td>${shown(of(figures), digits)}</td>`).join("");
}
