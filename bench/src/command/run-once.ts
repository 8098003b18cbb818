import { writeFile } from "node:fs/promises";
import { pageOf } from "../page/page.ts";
import { ratios } from "../ratios.ts";
import { isGood, type Report } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { csvOf, keepReport, readReport, writeJson } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, type Asked } from "./asked.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** One run: told, stored, and written wherever it was asked for. */
export async function runOnce(asked: Asked, signal: AbortSignal): Promise<void> {
  const { flags } = asked;
  refuse(asked, ["scale"], "goes with --source");
  if (flags.amount !== undefined) refuse(asked, ["warmUp", "duration"], "does not go with --amount");
  const before = flags.compare === undefined ? undefined : await storedReport(flags.compare);
  const report = await runBench(planOf(flags, signal));
  say(`\n${textOf(report)}`);
  if (before !== undefined) say(`\n${ratios(report, before)}`);
  say(`\nstored as ${await keepReport(report, flags.results)}`);
  if (flags.json !== undefined) await writeJson(flags.json, report);
  if (flags.csv !== undefined) await writeFile(flags.csv, csvOf(report));
  if (flags.html !== undefined) await writeFile(flags.html, await pageOf(report));
  process.exitCode = isGood(report) ? 0 : 1;
}

async function storedReport(file: string): Promise<Report> {
  try {
    return await readReport(file);
  } catch (error) {
    throw new WrongUsage(`--compare: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
