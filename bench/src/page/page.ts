import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Report } from "../report.ts";
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
<script type="application/json" id="report">${JSON.stringify(report).replaceAll("<", String.raw`\u003c`)}</script>
<script>${library ?? ""}</script>
<script>${script ?? ""}</script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
