import type { PhaseFigures } from "../phase-figures.ts";
import type { Report } from "../report.ts";
import { escaped } from "./escaped.ts";

const heads = [
  "phase",
  "connections",
  "from s",
  "to s",
  "2xx",
  "2xx/s",
  "mean ms",
  "p50",
  "p95",
  "p99",
  "max",
  "Little's law /s",
  "off %",
];

/** A table with the figures of each load and of each group of a source's run. Empty for a report of an earlier bench. */
export function phaseTable({ phases, groups }: Pick<Report, "phases" | "groups">): string {
  const rows = [...phases, ...groups].flatMap(({ name, begun, ended, figures }) =>
    figures === undefined ? [] : [rowOf(name, [begun.toFixed(1), ended.toFixed(1)], figures)],
  );
  if (rows.length === 0) return "";
  return `<h2>Phases</h2>
<div class="wide"><table id="phase-figures">
<tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join("")}</tr>
${rows.join("\n")}
</table></div>
`;
}

function rowOf(name: string, [begun, ended]: readonly string[], figures: PhaseFigures): string {
  const { connections, requests, perSecond, latencyMs, littlesLaw } = figures;
  const ms = (["mean", "p50", "p95", "p99", "max"] as const).map((at) => latencyMs?.[at].toFixed(1) ?? "");
  const { expectedPerSecond, errorPercent } = littlesLaw;
  const cells = [connections, begun, ended, requests, perSecond, ...ms, expectedPerSecond ?? "", errorPercent ?? ""];
  return `<tr><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}
