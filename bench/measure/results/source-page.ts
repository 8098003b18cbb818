import { escaped } from "../page/escaped.ts";
import { printedSources, type PrintedSource } from "../printed/printed-sources.ts";
import { changeTable } from "./change-table.ts";
import { rateChart, tailChart } from "./charts.ts";
import { figureTable } from "./figure-table.ts";
import { resultPage, withCode } from "./html.ts";
import type { Lesson } from "./lessons/lesson.ts";
import { lessonOf } from "./lessons/lessons.ts";
import { phaseTable } from "./phase-table.ts";
import { withoutOtherScales } from "./run-files.ts";
import { runTable } from "./run-table.ts";
import type { StoredRun } from "./stored-run.ts";

/** The page of a source: its question, its printed rows with ours beside them, plots, and what it teaches. */
export function sourcePage(source: PrintedSource, runs: readonly StoredRun[]): Promise<string> {
  const { name, rows } = source;
  const lesson = lessonOf(name);
  const shown = withoutOtherScales(runs);
  const plotted = plottedRuns(source, shown);
  const body = `${navigation(name)}
<h1>${escaped(lesson.title)}</h1>
<p class="question">${withCode(lesson.question)}</p>
<p class="experiment">${withCode(lesson.experiment)}</p>
<p class="comparison">${withCode(lesson.comparison)}</p>
${rateChart(rows, shown)}
${tailChart(rows, shown)}
<h2>Every printed row, and ours beside it</h2>
${figureTable(source, shown)}
${phaseTable(source, shown)}<h2>What each change is worth</h2>
<p class="key">The rate with the change divided by the rate without it. This is what a reader can carry from one machine to another; rates are not.</p>
${changeTable(lesson.changes, rows, runs)}
<h2>Our runs over time</h2>
<noscript><p>These plots need JavaScript. The tables have all figures.</p></noscript>
<div id="plots"></div>
<h2>What it teaches</h2>
${teaching(lesson)}
<h2>How ours was measured</h2>
${runTable(name, runs)}`;
  return resultPage(`tally: ${lesson.title}`, body, {
    runs: plotted.map((run) => ({ label: labelOf(run), series: run.series, histogram: run.histogram })),
  });
}

/** Links to the other pages. */
export function navigation(current: string): string {
  const links = [
    current === "index" ? "All sources" : `<a href="index.html">All sources</a>`,
    ...printedSources.map(({ name }) => (name === current ? name : `<a href="${name}.html">${name}</a>`)),
  ];
  return `<nav>${links.join("\n")}</nav>`;
}

function teaching({ sections }: Lesson): string {
  return sections
    .map(
      ({ heading, paragraphs }) =>
        `<section class="lesson"><h3>${escaped(heading)}</h3>\n${paragraphs.map((text) => `<p>${withCode(text)}</p>`).join("\n")}</section>`,
    )
    .join("\n");
}

// As many as the style has colours.
const linesMax = 6;

/** The runs of tally as it is and with other durabilities, in the order of the loads. */
function plottedRuns({ loads }: PrintedSource, runs: readonly StoredRun[]): readonly StoredRun[] {
  return loads
    .flatMap(({ description, isExtra }) =>
      isExtra === true ? [] : runs.filter(({ load, design }) => load === description && design === "batched"),
    )
    .slice(0, linesMax);
}

function labelOf({ load, durability, scale, isDisturbed }: StoredRun): string {
  return [
    load,
    ...(durability === "confirmed" ? [] : [durability]),
    ...(scale === 1 ? [] : [`scale ${scale}`]),
    ...(isDisturbed === true ? ["disturbed"] : []),
  ].join(", ");
}
