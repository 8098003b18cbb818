import type { PhaseTime, Report } from "../report.ts";
import { headOf, textOf } from "../text-of.ts";
import type { Hop } from "../watch/hops.ts";
import { escaped } from "./escaped.ts";
import { headFigures, type HeadFigure } from "./headline.ts";
import { htmlDocument } from "./html-document.ts";
import { phaseTable } from "./phase-table.ts";

/** The report as text and plots, in one file. */
export function pageOf(report: Report): Promise<string> {
  const title = headOf(report);
  return htmlDocument({
    title: `tally bench: ${title}`,
    body: `<h1>${escaped(title)}</h1>
<p class="run">Run ${escaped(report.runId)}, ${escaped(report.at)}. Repeat with <code>${escaped(report.repeat)}</code></p>
<dl id="headline">
${headFigures(report).map(cardOf).join("\n")}
</dl>
<ul id="phases">
${report.phases.map(phaseOf).join("\n")}
</ul>
<div id="plots"></div>
${phaseTable(report)}${hopsOf(report)}<h2>All figures</h2>
<pre>${escaped(textOf(report))}</pre>`,
    plots: { id: "report", data: report, script: new URL("report-plots.js", import.meta.url).href },
  });
}

function cardOf({ name, value, note, isGood }: HeadFigure): string {
  const tone = isGood === undefined ? "" : isGood ? ' class="good"' : ' class="bad"';
  return `<div${tone}><dt>${escaped(name)}</dt><dd class="value">${escaped(value)}</dd><dd class="note">${escaped(note)}</dd></div>`;
}

/** The key of the bands in the plots. */
function phaseOf({ name, begun, ended }: PhaseTime): string {
  return `<li><span style="background: var(--${name})"></span>${name}, ${begun.toFixed(1)} to ${ended.toFixed(1)} s</li>`;
}

/** The histograms of the hops: the share of batches in each bucket. Without the buckets that are empty for all hops. */
function hopsOf({ hops }: Report): string {
  const filled = hops.flatMap(({ buckets }) => buckets.filter(({ batches }) => batches > 0));
  const bounds = [...new Set(filled.map(({ ms }) => ms ?? Infinity))].toSorted((a, b) => a - b);
  if (bounds.length === 0) return "";
  const cells = ({ name, batches, p50Ms, p99Ms, buckets }: Hop): readonly string[] => [
    `<th scope="row">${escaped(name)}</th><td>${p50Ms}</td><td>${p99Ms}</td>`,
    ...bounds.map((bound) => {
      const own = buckets.find(({ ms }) => (ms ?? Infinity) === bound)?.batches ?? 0;
      const share = Math.round((own / batches) * 100);
      return own === 0 ? "<td></td>" : `<td data-share style="--share: ${share}">${share} %</td>`;
    }),
  ];
  const heads = ["hop", "p50 ms", "p99 ms", ...bounds.map((ms) => (ms === Infinity ? "longer" : `≤ ${ms} ms`))];
  const rows = [heads.map((head) => `<th scope="col">${head}</th>`), ...hops.map(cells)];
  return `<h2>Time of batches from hop to hop</h2>
<div class="wide"><table id="hops">
${rows.map((row) => `<tr>${row.join("")}</tr>`).join("\n")}
</table></div>
`;
}
