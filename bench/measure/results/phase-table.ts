import { requestsOf, type PrintedSource } from "../printed/printed-sources.ts";
import { besideOf } from "./beside.ts";
import { shown } from "./figures-of.ts";
import { escaped } from "../page/escaped.ts";
import type { StoredRun } from "./stored-run.ts";
import { markedNameOf } from "./table-text.ts";

/**
 * The time of each phase, printed and ours, and the mean latency that follows from them: threads multiplied by seconds, divided by the number of
 * requests. Empty for a source that prints no phases.
 */
export function phaseTable({ loads, rows }: PrintedSource, runs: readonly StoredRun[]): string {
  const lines = rows.flatMap((row) => {
    const load = loads.find(({ description }) => description === row.load);
    if (row.phaseSeconds === undefined || load === undefined) return [];
    const [groups, requests] = [load.groups(1), requestsOf(load)];
    const phases = row.phaseSeconds.map((seconds, index) => ({
      seconds,
      connections: groups[index]?.connections ?? 0,
    }));
    const { same } = besideOf(row, runs);
    return [
      lineOf("printed", `${row.load}, ${row.server}`, phases, requests),
      ...(same === undefined
        ? []
        : [lineOf("ours", `ours: ${markedNameOf(same)}`, same.phases, requests * same.scale)]),
    ];
  });
  if (lines.length === 0) return "";
  const heads = ["run", "warm-up s", "load s", "peak s", "cool-down s", "mean ms from these"];
  return `<h2>The phases, and the mean that follows from them</h2>
<div class="wide"><table id="phase-times">
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
<tbody>
${lines.join("\n")}
</tbody>
</table></div>
`;
}

function lineOf(
  kind: "printed" | "ours",
  name: string,
  phases: readonly { readonly seconds: number; readonly connections: number }[],
  requests: number,
): string {
  const busy = phases.reduce((sum, { seconds, connections }) => sum + seconds * connections, 0);
  const cells = [...phases.map(({ seconds }) => shown(seconds, 1)), shown((busy / requests) * 1000, 1)];
  return `<tr class="${kind}"><td class="server">${escaped(name)}</td>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}
