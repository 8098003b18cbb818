import { escaped } from "../page/escaped.ts";
import type { StoredRun } from "./stored-run.ts";
import { markedNameOf } from "./table-text.ts";

/** Each run of ours with its time, commit and failures, and how to repeat them. */
export function runTable(source: string, runs: readonly StoredRun[]): string {
  const heads = [
    "load",
    "arrangement",
    "at",
    "commit",
    "failed requests",
    "lost",
    "doubled",
    "foreign CPU",
    "steal",
    "calibration",
  ];
  const lines = runs.map((run) => {
    const cells = [
      markedNameOf(run),
      run.at.slice(0, 16).replace("T", " "),
      run.commit,
      String(run.failed),
      run.lost === null ? "not audited" : String(run.lost),
      run.doubled === null ? "" : String(run.doubled),
      percentText(run.foreignPercent),
      percentText(run.stealPercent),
      calibrationText(run),
    ];
    return `<tr${run.isDisturbed === true ? ' class="disturbed"' : ""}><th scope="row">${escaped(run.load)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`;
  });
  return `<p>${escaped(placesOf(runs))} All servers, the apps and the client share this machine. Our rate is the number of requests divided by the time until the last event was ranked; without rankings, until the last response. A run with a scale below 1 sends that share of the requests; its rate is lower, because servers and caches are cold. A step of the calibration loop was timed before the load; the percentage says how much it changed until all was ranked. "disturbed" marks a run in which foreign CPU time and steal were more than 5 % together.</p>
<p>Repeat with <code>pnpm bench sources ${escaped(source)}${scalesOf(runs)} --results FOLDER</code> and <code>pnpm bench report --from FOLDER</code>.</p>
<div class="wide"><table id="measured">
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
<tbody>
${lines.join("\n")}
</tbody>
</table></div>`;
}

/** The flags that set the shares of the requests. */
function scalesOf(runs: readonly StoredRun[]): string {
  const scales = [...new Set(runs.map(({ scale }) => scale))].toSorted((a, b) => b - a);
  const [largest = 1, smallest = largest] = [scales[0], scales.at(-1)];
  return [
    ...(largest === 1 ? [] : [` --scale ${largest}`]),
    ...(smallest === largest ? [] : [` --scale-of-others ${smallest}`]),
  ].join("");
}

function percentText(percent: number | null): string {
  return percent === null ? "unknown" : `${percent} %`;
}

function calibrationText({ calibration }: StoredRun): string {
  if (calibration === null) return "unknown";
  const { beforeNs, changePercent } = calibration;
  return `${beforeNs} ns, ${changePercent < 0 ? "" : "+"}${changePercent} %`;
}

/** Such as "2 × AMD EPYC, 24 GiB, Linux 6.1; node v26.1.0, database 10.11". */
function placesOf(runs: readonly StoredRun[]): string {
  const places = runs.map(({ machine, versions }) => {
    const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
    return `${machine}; ${programs.join(", ")}.`;
  });
  return [...new Set(places)].join(" ");
}
