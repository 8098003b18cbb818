import type { Report } from "../report.ts";
import { printedSources, type PrintedSource } from "../results/printed-sources.ts";
import { storedRunOf } from "../results/stored-run.ts";
import { figureTable } from "../results/tables.ts";
import { makeResults, writeJson } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { say, type Flags, type OutputFlags } from "./flags.ts";
import { planOfSource } from "./plan-of.ts";
import { runAndStore } from "./run-once.ts";

/** The flags of `source`. */
export interface SourceFlags
  extends Pick<Flags, "seed" | "gateways" | "design" | "durability" | "target" | "set">, OutputFlags {
  readonly scale: number;
}

/**
 * All runs of a source with one arrangement, each on a fresh system, and a table of all its printed rows with our
 * figures beside them.
 */
export async function runSource(name: string, flags: SourceFlags, signal: AbortSignal): Promise<void> {
  const { scale, results } = flags;
  const source = sourceNamed(name);
  await makeResults(results);
  const runs: Report[] = [];
  for (const [run, { description, isExtra = false }] of source.loads.entries()) {
    if (isExtra) continue;
    say(`\n${name}, ${description}`);
    runs.push(await runAndStore(planOfSource(flags, { domain: source.domain, run, scale }, signal), results));
  }
  const stored = runs.flatMap((report) => storedRunOf(report) ?? []);
  const table = figureTable(source, stored);
  say(`\n${table.join("\n")}\n\npnpm bench sources ${name} runs every arrangement of this table`);
  await writeJson(flags.json, { source: name, scale, table, runs });
}

/** A source by its name. Throws a WrongUsage. */
export function sourceNamed(name: string): PrintedSource {
  const found = printedSources.find((source) => source.name === name);
  if (found !== undefined) return found;
  throw new WrongUsage(`expected one of ${printedSources.map((source) => source.name).join(", ")}, got ${name}`);
}
