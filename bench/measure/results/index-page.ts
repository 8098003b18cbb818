import { escaped } from "../page/escaped.ts";
import { printedSources, type PrintedSource } from "../printed/printed-sources.ts";
import { besideOf } from "./beside.ts";
import { resultPage, withCode } from "./html.ts";
import { lessonOf } from "./lessons/lessons.ts";
import { navigation } from "./source-page.ts";
import type { StoredRun } from "./stored-run.ts";

/** The page that leads to the pages of the sources. */
export function indexPage(runs: readonly StoredRun[]): Promise<string> {
  const body = `${navigation("index")}
<h1>Five experiments, repeated</h1>
<p class="experiment">Five documents measured small systems that take in events: albums, steps, swipes, lift rides and purchases. Each asked a question about its design. tally sends the same loads to its own variants of these designs. Each page has every printed row with our figures beside it, or the reason why there are none, and says what the experiment teaches.</p>
<p class="comparison">The printed figures come from several machines on AWS, ours from one small machine that runs everything. So compare changes, not rates: what did a queue bring there, and what does it bring here?</p>
<div class="wide"><table id="sources">
<thead><tr><th scope="col">source</th><th scope="col">question</th><th scope="col">printed rows</th><th scope="col">with ours beside</th><th scope="col">not repeated</th></tr></thead>
<tbody>
${printedSources.map((source) => lineOf(source, runs)).join("\n")}
</tbody>
</table></div>
<h2>Four checks for every table of measurements</h2>
<ol class="lesson">
<li><p>Divide the number of requests by the wall time. It must be the printed rate. Count the failed requests apart.</p></li>
<li><p>Percentiles rise: p50, p95, p99, maximum. A p99 below the mean needs a very slow last percent; ask for the distribution.</p></li>
<li><p>In a closed loop, threads divided by the rate are the mean latency (Little's law). If they are not, requests or time are missing.</p></li>
<li><p>Two runs that differ by less than two runs of the same program do not differ. Run them in turns, several times.</p></li>
</ol>`;
  return resultPage("tally: five experiments, repeated", body);
}

function lineOf({ name, rows }: PrintedSource, allRuns: readonly StoredRun[]): string {
  const { title, question } = lessonOf(name);
  const runs = allRuns.filter(({ source }) => source === name);
  const beside = rows.filter((row) => besideOf(row, runs).same !== undefined);
  const without = rows.filter((row) => "reason" in row.beside);
  return `<tr><th scope="row"><a href="${name}.html">${escaped(title)}</a></th><td class="server">${withCode(question)}</td><td>${rows.length}</td><td>${beside.length}</td><td>${without.length}</td></tr>`;
}
