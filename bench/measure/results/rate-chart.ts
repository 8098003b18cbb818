import type { PrintedSource } from "./printed-sources.ts";
import type { StoredRun } from "./stored-run.ts";
import { runBeside } from "./tables.ts";

const width = 880;
const labelWidth = 400;
const barsWidth = width - labelWidth - 90;
const rowHeight = 34;
const top = 44;

/** An SVG with a bar for the printed rate of each row, and one for ours below it. It shows text and colours on light
 * and dark grounds. */
export function rateChart(source: PrintedSource, runs: readonly StoredRun[]): string {
  const rows = source.rows.flatMap((row) => {
    const ours = runBeside(row, runs)?.perSecond ?? null;
    return row.perSecond === null || ours === null ? [] : [{ ...row, printed: row.perSecond, ours }];
  });
  const highest = Math.max(1, ...rows.flatMap(({ printed, ours }) => [printed, ours]));
  const bar = (y: number, value: number, kind: "printed" | "ours"): string => {
    const length = Math.max(1, Math.round((value / highest) * barsWidth));
    const text = value.toLocaleString("en", { maximumFractionDigits: 0 });
    return `<rect class="${kind}" x="${labelWidth}" y="${y}" width="${length}" height="13"/><text x="${labelWidth + length + 6}" y="${y + 11}">${text}</text>`;
  };
  const lines = rows.map(({ load, server, printed, ours }, index) => {
    const y = top + index * rowHeight;
    const name = `${load}, ${server}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    const label = `<text class="label" x="${labelWidth - 8}" y="${y + 18}">${name}</text>`;
    return label + bar(y, printed, "printed") + bar(y + 14, ours, "ours");
  });
  const height = top + rows.length * rowHeight + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Requests a second of ${source.name}, printed and ours">
<style>text{font:12px system-ui,sans-serif;fill:#57606a}.label{text-anchor:end}.title{font-size:14px;font-weight:600}.printed{fill:#8a939d}.ours{fill:#1f6fd0}@media(prefers-color-scheme:dark){text{fill:#a0a9b5}}</style>
<text class="title" x="0" y="18">Requests a second</text><rect class="printed" x="${labelWidth}" y="8" width="13" height="13"/><text x="${labelWidth + 18}" y="19">printed</text><rect class="ours" x="${labelWidth + 80}" y="8" width="13" height="13"/><text x="${labelWidth + 98}" y="19">ours</text>
${lines.join("\n")}
</svg>
`;
}
