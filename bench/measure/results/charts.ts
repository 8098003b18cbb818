import type { PrintedLatency, PrintedRow } from "../printed/printed-row.ts";
import { besideOf } from "./beside.ts";
import { rateColumn, shown } from "./figures-of.ts";
import { escaped } from "../page/escaped.ts";
import type { StoredRun } from "./stored-run.ts";

/* Charts of HTML and CSS alone: they need no script, and their values are text. */

/** A bar for the printed rate of each row, and one for ours. */
export function rateChart(rows: readonly PrintedRow[], runs: readonly StoredRun[]): string {
  const all = rows.flatMap((row) => {
    const printed = rateColumn.of(row);
    const { same } = besideOf(row, runs);
    return printed === undefined ? [] : [{ row, printed, same, ours: same && rateColumn.of(same) }];
  });
  const highest = Math.max(...all.flatMap(({ printed, ours }) => [printed, ours ?? 0]));
  const bar = (kind: string, value: number | undefined): string =>
    value === undefined
      ? ""
      : `<span class="bar ${kind}" style="--share:${((value / highest) * 100).toFixed(1)}%"><b></b>${shown(value, 0)}</span>`;
  const lines = all.map(
    ({ row, printed, same, ours }) =>
      `<div class="line">${labelOf(row, markOf(same))}<span class="bars">${bar("printed", printed)}${bar("ours", ours)}</span></div>`,
  );
  return chart("rates", "Requests a second", lines);
}

// Decades from 1 ms to 100 s.
const decades = 5;

/** A point for the printed p99 of each row and method, and one for ours, on a logarithmic scale. */
export function tailChart(rows: readonly PrintedRow[], runs: readonly StoredRun[]): string {
  const dot = (kind: string, ms: number): string => {
    const share = (Math.log10(Math.max(1, ms)) / decades) * 100;
    return `<span class="dot ${kind}" style="--share:${Math.min(100, share).toFixed(1)}%" title="${shown(ms, 1)} ms"></span>`;
  };
  const lines = rows.flatMap((row) => {
    const { same } = besideOf(row, runs);
    return row.latencies.flatMap(({ of, p99 }) => {
      if (p99 === undefined) return [];
      const ours = same && p99Of(same.latencies, of);
      const dots = [dot("printed", p99), ours === undefined ? "" : dot("ours", ours)];
      const values = [shown(p99, 0), ours === undefined ? "" : shown(ours, 0)].filter((text) => text !== "");
      const label = labelOf(row, `${of === "all" ? "" : `, ${of}`}${markOf(same)}`);
      return `<div class="line">${label}<span class="track">${dots.join("")}</span><span class="values">${values.join(" / ")}</span></div>`;
    });
  });
  const ticks = Array.from({ length: decades + 1 }, (_, power) => shown(10 ** power, 0));
  const scale = `<div class="line scale"><span class="label">ms</span><span class="track">${ticks
    .map((tick, power) => `<i style="--share:${(power / decades) * 100}%">${tick}</i>`)
    .join("")}</span><span class="values"></span></div>`;
  return lines.length === 0 ? "" : chart("tails", "p99 in ms, logarithmic: printed / ours", [...lines, scale]);
}

function p99Of(latencies: readonly PrintedLatency[], of: PrintedLatency["of"]): number | undefined {
  return latencies.find((latency) => latency.of === of)?.p99;
}

function labelOf({ load, server }: PrintedRow, more: string): string {
  return `<span class="label">${escaped(`${load}, ${server}${more}`)}</span>`;
}

function markOf(run: StoredRun | undefined): string {
  if (run === undefined) return "";
  const marks = [
    ...(run.scale === 1 ? [] : [`scale ${run.scale}`]),
    ...(run.isDisturbed === true ? ["disturbed"] : []),
  ];
  return marks.length === 0 ? "" : ` (ours: ${marks.join(", ")})`;
}

function chart(id: string, title: string, lines: readonly string[]): string {
  return `<figure class="chart" id="${id}"><figcaption>${title} <span class="legend"><span class="key-of printed"></span>printed <span class="key-of ours"></span>ours, comparable arrangement</span></figcaption>
${lines.join("\n")}
</figure>`;
}
