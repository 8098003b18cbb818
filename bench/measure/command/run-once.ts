import { reasonOf } from "@tally/runtime";
import { pageOf } from "../page/page.ts";
import { ratios } from "../ratios.ts";
import type { Report } from "../report.ts";
import { cdfCsvOf, csvOf, jsonOf, readReport } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { slowerThan } from "../throughput.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, refuseExcluded, type Asked } from "./asked.ts";
import { checkRequestsCsv, makeResults, refuseSameFiles, runAndStore, writeOutputs } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** One run: printed, stored, and written to the requested files. */
export async function runOnce(asked: Asked, signal: AbortSignal): Promise<void> {
  const { flags } = asked;
  refuse(asked, ["scale"], "needs --source");
  refuseExcluded(asked);
  if (flags.compare === undefined) refuse(asked, ["failBelow"], "needs --compare, or the command compare");
  const before = flags.compare === undefined ? undefined : await storedReport(flags.compare);
  const plan = planOf(flags, signal);
  const { json, csv, cdfCsv, html, requestsCsv } = flags;
  await refuseSameFiles(
    { "--json": json, "--csv": csv, "--cdf-csv": cdfCsv, "--html": html, "--requests-csv": requestsCsv },
    { "--compare": flags.compare },
  );
  await makeResults(flags.results);
  await checkRequestsCsv(flags.requestsCsv);
  const { report, line } = await runAndStore(plan, flags.results);
  say(`\n${textOf(report)}`);
  if (before !== undefined) compare(report, before, flags.failBelow);
  say(`\n${line}`);
  await writeOutputs([
    { flag: "--json", file: flags.json, content: () => jsonOf(report) },
    { flag: "--csv", file: flags.csv, content: () => csvOf(report) },
    { flag: "--cdf-csv", file: flags.cdfCsv, content: () => cdfCsvOf(report) },
    { flag: "--html", file: flags.html, content: () => pageOf(report) },
  ]);
}

/** Prints the ratios to an earlier run. Exit status 1 for a throughput below `failBelow`. */
function compare(report: Report, before: Report, failBelow: number | undefined): void {
  say(`\n${ratios(report, before)}`);
  const failure = failBelow === undefined ? undefined : slowerThan(report, before, failBelow);
  if (failure === undefined) return;
  process.exitCode = 1;
  say(failure);
}

async function storedReport(file: string): Promise<Report> {
  try {
    return await readReport(file);
  } catch (error) {
    throw new WrongUsage(`--compare: ${reasonOf(error)}`, { cause: error });
  }
}
