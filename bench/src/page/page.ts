import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Report } from "../report.ts";
import type { Hop } from "../watch/hops.ts";
import { headOf, textOf } from "../text-of.ts";

/** The report as text and plots, in one file. It opens without a network, and prints well. */
export async function pageOf(report: Report): Promise<string> {
  const [library, style, script] = await Promise.all(
    [
      import.meta.resolve("uplot/dist/uPlot.iife.min.js"),
      import.meta.resolve("uplot/dist/uPlot.min.css"),
      new URL("plots.js", import.meta.url).href,
    ].map((url) => readFile(fileURLToPath(url), "utf8")),
  );
  const title = headOf(report);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`tally bench: ${title}`)}</title>
<style>
${style}
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; color: #1b1f24; background: #fff; }
pre { white-space: pre-wrap; padding: 1rem; background: #f4f5f7; border-radius: 6px; font-size: 12.5px; }
#plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 12.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #d8dee4; }
th[scope="row"] { text-align: left; font-weight: 400; }
figure { margin: 0; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: 0.25rem; }
@media (max-width: 30rem) { #plots { grid-template-columns: 1fr; } }
@media print { body { margin: 0; padding: 0; max-width: none; } pre { white-space: pre-wrap; background: none; border: 1px solid #ccc; } #plots { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.5rem; } figure { zoom: 0.7; } }
</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>Run ${escaped(report.runId)}, ${escaped(report.at)}. Repeat with <code>${escaped(report.repeat)}</code></p>
<pre>${escaped(textOf(report))}</pre>
<div id="plots"></div>
${hopsOf(report)}<script type="application/json" id="report">${JSON.stringify(report).replaceAll("<", String.raw`\u003c`)}</script>
<script>${library ?? ""}</script>
<script>${script ?? ""}</script>
</body>
</html>
`;
}

/** The histograms of the hops: the share of batches in each bucket. */
function hopsOf({ hops }: Report): string {
  const bounds = [...new Set(hops.flatMap(({ buckets }) => buckets.map(({ ms }) => ms ?? Infinity)))].toSorted(
    (a, b) => a - b,
  );
  if (bounds.length === 0) return "";
  const cells = ({ name, batches, p50Ms, p99Ms, buckets }: Hop): readonly string[] => [
    `<th scope="row">${escaped(name)}</th><td>${p50Ms}</td><td>${p99Ms}</td>`,
    ...bounds.map((bound) => {
      const own = buckets.find(({ ms }) => (ms ?? Infinity) === bound)?.batches ?? 0;
      const share = Math.round((own / batches) * 100);
      return `<td style="background: rgb(31 111 235 / ${share * 0.6}%)">${own === 0 ? "" : `${share} %`}</td>`;
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

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
