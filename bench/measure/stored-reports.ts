import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { millionsChart } from "./per-million.ts";
import type { Report } from "./report.ts";
import { orWrongUsage } from "./wrong-usage.ts";

/** Called before a run: throws a WrongUsage where its report could not be stored. */
export async function makeResults(results: string): Promise<void> {
  await orWrongUsage("--results", () => mkdir(results, { recursive: true }));
}

/** Stores a report, named after the time of the run, and beside it the curves of a long one. Returns its file. */
export async function keepReport(report: Report, results: string): Promise<string> {
  const file = join(results, `${report.at.replaceAll(":", "-")}-${report.design}.json`);
  await writeFile(file, jsonOf(report));
  if (report.perMillion.length > 1) await writeFile(`${file}.svg`, millionsChart(report.perMillion));
  return file;
}

/** Writes the file of --json. Throws a WrongUsage for one that cannot be written. */
export async function writeJson(file: string | undefined, content: object): Promise<void> {
  if (file === undefined) return;
  await orWrongUsage("--json", async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, jsonOf(content));
  });
}

export const jsonOf = (content: object): string => `${JSON.stringify(content, undefined, 1)}\n`;
