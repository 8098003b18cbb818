import { escaped } from "../page/escaped.ts";
import { htmlDocument } from "../page/html-document.ts";
import { fileOf } from "./sweep-folder.ts";
import type { EndedTurn, Spread, SweepResult } from "./sweep-result.ts";
import { cellsOf, noteOf } from "./sweep-table.ts";

interface PageOptions {
  /** The best setting and the rule by which it was chosen. */
  readonly choice: string | undefined;
  readonly limitMs: number | undefined;
  /** Runs whose pages lie beside this one. */
  readonly turns: readonly EndedTurn[];
}

/** A sweep as plots over the swept values, and as a table, in one file. */
export function sweepPage(result: SweepResult, { choice, limitMs, turns }: PageOptions): Promise<string> {
  const { dimensions, conditions, at, commit, repeat, rounds, faults } = result;
  const title = `Sweep over ${dimensions.map(({ name }) => name).join(" and ")}`;
  const facts = Object.entries(conditions).filter(([, value]) => value !== null);
  const own = (file: string): string => new URL(file, import.meta.url).href;
  return htmlDocument({
    title: `tally bench: ${title}`,
    body: `<h1>${escaped(title)}</h1>
<p class="run">${escaped(at)}, commit ${escaped(commit)}, ${rounds} rounds, each in another order. Repeat with <code>${escaped(repeat)}</code></p>
${choice === undefined ? "" : `<p id="choice">${escaped(choice).replaceAll("\n", "<br>")}</p>\n`}<div id="plots"></div>
<p class="run">A point is the median of the rounds, its line reaches from the lowest to the highest.</p>
<h2>All settings</h2>
<div class="wide">${tableOf(result)}</div>
${faults.length === 0 ? "" : `<ul>${faults.map((fault) => `<li class="fault">${escaped(fault)}</li>`).join("")}</ul>\n`}<h2>The same in all runs</h2>
<pre>${escaped(facts.map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`).join("\n"))}</pre>
${runsOf(result, turns)}`,
    style: own("sweep.css"),
    plots: { id: "sweep", data: plotted(result, limitMs), script: own("sweep-plots.js") },
  });
}

function tableOf(result: SweepResult): string {
  const { dimensions, settings, throughput } = result;
  const heads = [...dimensions.map(({ name }) => name), throughput, "p99 ms", "CPU µs/event", "runs", ""];
  const rows = settings.map((one) => {
    const names = one.point.map((value) => `<th scope="row">${escaped(value)}</th>`);
    const cells = [...cellsOf(one), String(one.runs), noteOf(one)].map((cell) => `<td>${escaped(cell)}</td>`);
    return `<tr>${names.join("")}${cells.join("")}</tr>`;
  });
  return `<table id="settings">
<tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join("")}</tr>
${rows.join("\n")}
</table>`;
}

function runsOf({ dimensions }: SweepResult, turns: readonly EndedTurn[]): string {
  if (turns.length === 0) return "";
  const links = turns.map((turn) => {
    const file = fileOf(dimensions, turn);
    return `<li><a href="${encodeURIComponent(file)}.html">${escaped(file)}</a></li>`;
  });
  return `<h2>Runs</h2>\n<ul id="runs">${links.join("")}</ul>`;
}

/** What the plots show: for each figure one line for each value of the second dimension, over the values of the first. */
function plotted({ dimensions: [first, second], settings, throughput }: SweepResult, limitMs: number | undefined) {
  const x = first?.values ?? [];
  const lines = second?.values.map((value) => ({ name: `${second.name} ${value}`, value })) ?? [
    { name: "median", value: undefined },
  ];
  const of = (figure: "throughput" | "p99Ms" | "cpuUsPerEvent") =>
    lines.map(({ name, value }) => ({
      name,
      spreads: x.map((one): Spread | null => {
        const setting = settings.find(({ point }) => point[0] === one && point[1] === value);
        return setting?.[figure] ?? null;
      }),
    }));
  return {
    x,
    xLabel: first?.name ?? "",
    plots: [
      { title: `Throughput, ${throughput}`, yLabel: "/s", lines: of("throughput") },
      { title: "Latency p99", yLabel: "ms", lines: of("p99Ms"), limit: limitMs ?? null },
      { title: "CPU per event, without the client", yLabel: "µs", lines: of("cpuUsPerEvent") },
    ].filter(({ lines: all }) => all.some(({ spreads }) => spreads.some((spread) => spread !== null))),
  };
}
