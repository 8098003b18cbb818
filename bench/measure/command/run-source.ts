import { join, parse } from "node:path";
import { printedSources, type PrintedSource } from "../results/printed-sources.ts";
import type { Report } from "../report.ts";
import { storedRunOf } from "../results/stored-run.ts";
import { figureTable } from "../results/tables.ts";
import { cdfCsvOf, csvOf, jsonOf } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, refuseExcluded, type Asked } from "./asked.ts";
import { checkRequestsCsv, makeResults, refuseSameFiles, runAndStore, writeOutputs } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** All runs of a source with one arrangement, each on a fresh system, and a table of all its printed rows with our figures beside them. */
export async function runSource(name: string, asked: Asked, signal: AbortSignal): Promise<void> {
  const { flags } = asked;
  refuse(asked, ["html", "compare", "failBelow", "amount", "rate"], "needs a single run; a source stores all its runs");
  refuse(
    asked,
    ["domain", "connections", "duration", "fill", "warmUp", "mix", "contentBytes", "zipf", "clientThreads"],
    "is set by the source",
  );
  refuseExcluded(asked);
  const source = sourceNamed(name, "--source");
  const { domain, loads } = source;
  const { json, csv, cdfCsv, requestsCsv } = flags;
  await refuseSameFiles({ "--json": json, "--csv": csv, "--cdf-csv": cdfCsv, "--requests-csv": requestsCsv }, {});
  await makeResults(flags.results);
  const runs = loads.flatMap((load, run) => (load.isExtra === true ? [] : [{ ...load, run }]));
  for (const { run } of runs) await checkRequestsCsv(fileOfRun(flags.requestsCsv, run));
  const reports: Report[] = [];
  for (const { run, description, groups } of runs) {
    say(`\n${name}, ${description}`);
    const connections = groups(flags.scale).reduce((sum, group) => sum + group.connections, 0);
    const plan = {
      ...planOf({ ...flags, domain, connections, clientThreads: 1 }, signal),
      requestsCsv: fileOfRun(requestsCsv, run),
    };
    const phase = { model: "source", run, scale: flags.scale } as const;
    const { report, line } = await runAndStore({ ...plan, phase }, flags.results);
    say(`\n${textOf(report)}\n\n${line}`);
    await writeOutputs([
      { flag: "--csv", file: fileOfRun(flags.csv, run), content: () => csvOf(report) },
      { flag: "--cdf-csv", file: fileOfRun(flags.cdfCsv, run), content: () => cdfCsvOf(report) },
    ]);
    reports.push(report);
  }
  const table = figureTable(
    source,
    reports.flatMap((report) => storedRunOf(report) ?? []),
  );
  say(`\n${table.join("\n")}`);
  say(`\npnpm bench sources ${name} runs every arrangement of this table`);
  const all = { source: name, scale: flags.scale, table, runs: reports };
  await writeOutputs([{ flag: "--json", file: flags.json, content: () => jsonOf(all) }]);
}

/** The file of one of several runs: `requests.csv` is `requests-1.csv` for the first. */
function fileOfRun(file: string | undefined, run: number): string | undefined {
  if (file === undefined) return undefined;
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}-${run + 1}${ext}`);
}

/** A source by its name. Throws a WrongUsage that names `where` the name was given. */
export function sourceNamed(name: string, where: "--source" | "sources"): PrintedSource {
  const found = printedSources.find((source) => source.name === name);
  if (found !== undefined) return found;
  const known = printedSources.map((source) => source.name).join(", ");
  throw new WrongUsage(`${where}: expected one of ${known}, got ${name}`);
}
