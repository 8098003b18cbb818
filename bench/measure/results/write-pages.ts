import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { orWrongUsage, WrongUsage } from "../wrong-usage.ts";
import { printedSources, type PrintedSource } from "./printed-sources.ts";
import { bestRuns, readRuns, runsInReports } from "./run-files.ts";
import type { StoredRun } from "./stored-run.ts";
import { changeTable, figureTable, scalingTable } from "./tables.ts";

export interface ReportFlags {
  /** A folder with reports of sources' runs; undefined: only the kept runs. */
  readonly from?: string;
  /** The folder of the pages; its file runs.json has the kept runs. */
  readonly to: string;
}

const begin = "<!-- figures: written by pnpm bench report -->";
const end = "<!-- end of figures -->";

/** Writes the figures of every page: S0.md to S4.md are prose, in which the part between two comments is replaced. First
 * adds the runs of `from` to the kept ones, and keeps the best of each load, arrangement and scale. The same runs make
 * the same files. */
export async function writePages({ from, to }: ReportFlags, say: (line: string) => void): Promise<void> {
  const file = join(to, "runs.json");
  const kept = await readRuns(file);
  const added = from === undefined ? [] : await runsInReports(from, say);
  const runs = bestRuns([...kept, ...added]);
  if (runs.length === 0)
    throw new WrongUsage(
      from === undefined
        ? `${file} has no runs; name a folder of reports with --from`
        : `--from: ${from} has no report of a source's run`,
    );
  const lines = runs.map((run) => JSON.stringify(run));
  const contents = new Map<string, string>([[file, `[\n${lines.join(",\n")}\n]\n`]]);
  for (const source of printedSources) {
    const own = runs.filter((run) => run.source === source.name);
    // A page that is not there yet has only figures.
    const page = join(to, `${source.name}.md`);
    const text = await readFile(page, "utf8").catch(() => `${begin}\n${end}\n`);
    contents.set(page, withFigures(page, text, figuresOf(source, own)));
  }
  await orWrongUsage(`${to} cannot be written`, async () => {
    await mkdir(to, { recursive: true });
    for (const [name, content] of contents) await writeFile(name, content);
  });
  say([`${runs.length} runs`, ...contents.keys()].join("\n"));
}

function withFigures(page: string, text: string, figures: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new WrongUsage(`${page}: expected the lines "${begin}" and "${end}"`);
  return `${text.slice(0, from)}${begin}\n\n${figures}\n\n${text.slice(to)}`;
}

function figuresOf(source: PrintedSource, runs: readonly StoredRun[]): string {
  const machines = [...new Set(runs.map(({ machine }) => machine))].join("; ");
  const commits = [...new Set(runs.map(({ commit }) => commit))].join(", ");
  const dates = [...new Set(runs.map(({ at }) => at.slice(0, 10)))].toSorted();
  const scaling = scalingTable(source, runs);
  return [
    ...(runs.length === 0
      ? []
      : [
          `Measured on ${[...new Set([dates[0], dates.at(-1)])].join(" to ")}, commit ${commits}, ${machines}, which runs everything.`,
        ]),
    figureTable(source, runs).join("\n"),
    changeTable(source, runs).join("\n"),
    ...(scaling.length === 0 ? [] : [scaling.join("\n")]),
  ].join("\n\n");
}
