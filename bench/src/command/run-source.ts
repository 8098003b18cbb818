import { workloads, type Source } from "@tally/domains/workloads";
import { printedBeside, printedHead } from "../printed-beside.ts";
import type { Report } from "../report.ts";
import { jsonOf } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, refuseExcluded, type Asked } from "./asked.ts";
import { makeResults, runAndStore, writeOutputs } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** All runs of a source, each on a fresh system, and a table that compares them with the printed figures. */
export async function runSource(name: string, asked: Asked, signal: AbortSignal): Promise<void> {
  const { flags } = asked;
  refuse(asked, ["csv", "html", "compare", "amount", "rate"], "needs a single run; a source stores all its runs");
  refuse(
    asked,
    ["domain", "connections", "duration", "fill", "warmUp", "mix", "contentBytes", "zipf", "clientThreads"],
    "is set by the source",
  );
  refuseExcluded(asked);
  const { domain, runs } = sourceNamed(name);
  await makeResults(flags.results);
  const rows: string[] = [];
  const reports: Report[] = [];
  for (const [run, { description, groups, printed }] of runs.entries()) {
    say(`\n${name}, ${description}`);
    const connections = groups(flags.scale).reduce((sum, group) => sum + group.connections, 0);
    const plan = planOf({ ...flags, domain, connections, clientThreads: 1 }, signal);
    const phase = { model: "source", run, scale: flags.scale } as const;
    const { report, line } = await runAndStore({ ...plan, phase }, flags.results);
    say(`\n${textOf(report)}\n\n${line}`);
    rows.push(...printedBeside(description, printed, report));
    reports.push(report);
  }
  say(`\n${printedHead}\n${rows.join("\n")}`);
  const all = { source: name, scale: flags.scale, table: [printedHead, ...rows], runs: reports };
  await writeOutputs([{ flag: "--json", file: flags.json, content: () => jsonOf(all) }]);
}

/** The runs of a source, and their domain. */
function sourceNamed(name: string): Pick<Source, "runs"> & { readonly domain: string } {
  const found = workloads.find(({ source }) => source?.name === name);
  if (found?.source !== undefined) return { domain: found.domain, runs: found.source.runs };
  const known = workloads.flatMap(({ source }) => source?.name ?? []).join(", ");
  throw new WrongUsage(`--source: expected one of ${known}, got ${name}`);
}
