import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { reasonOf } from "@tally/runtime";
import type { Report } from "./report.ts";
import { WrongUsage } from "./wrong-usage.ts";

/** Called before a run: throws a WrongUsage where its report could not be stored. */
export async function makeResults(results: string): Promise<void> {
  try {
    await mkdir(results, { recursive: true });
  } catch (error) {
    throw new WrongUsage(`--results: ${reasonOf(error)}`, { cause: error });
  }
}

/** Stores a report, named after the time of the run. Returns its file. */
export async function keepReport(report: Report, results: string): Promise<string> {
  const file = join(results, `${report.at.replaceAll(":", "-")}-${report.design}.json`);
  await writeFile(file, jsonOf(report));
  return file;
}

/** Writes the file of --json. Throws a WrongUsage for one that cannot be written. */
export async function writeJson(file: string | undefined, content: object): Promise<void> {
  if (file === undefined) return;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, jsonOf(content));
  } catch (error) {
    throw new WrongUsage(`--json: ${reasonOf(error)}`, { cause: error });
  }
}

export const jsonOf = (content: object): string => `${JSON.stringify(content, undefined, 1)}\n`;
