import { reasonOf } from "@tally/failures";
import { pageOf } from "../page/page.ts";
import { ratios } from "../ratios.ts";
import type { Report } from "../report.ts";
import { csvOf, jsonOf, readReport } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, refuseExcluded, type Asked } from "./asked.ts";
import { makeResults, runAndStore, writeOutputs } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** One run: printed, stored, and written to the requested files. */
export async function runOnce(asked: Asked, signal: AbortSignal): Promise<void> {
  const { flags } = asked;
  refuse(asked, ["scale"], "needs --source");
  refuseExcluded(asked);
  const before = flags.compare === undefined ? undefined : await storedReport(flags.compare);
  await makeResults(flags.results);
  const { report, line } = await runAndStore(planOf(flags, signal), flags.results);
  say(`\n${textOf(report)}`);
  if (before !== undefined) say(`\n${ratios(report, before)}`);
  say(`\n${line}`);
  await writeOutputs([
    { flag: "--json", file: flags.json, content: () => jsonOf(report) },
    { flag: "--csv", file: flags.csv, content: () => csvOf(report) },
    { flag: "--html", file: flags.html, content: () => pageOf(report) },
  ]);
}

async function storedReport(file: string): Promise<Report> {
  try {
    return await readReport(file);
  } catch (error) {
    throw new WrongUsage(`--compare: ${reasonOf(error)}`, { cause: error });
  }
}
