import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { figures } from "./figures.ts";
import { replaceFile } from "./replace-file.ts";
import type { Report } from "./report.ts";
import { WrongUsage } from "./wrong-usage.ts";

/** The report in the text of a file; undefined: it has none, or not all figures of a comparison. */
export function reportIn(text: string): Report | undefined {
  try {
    const report: Report = JSON.parse(text);
    const { design, at, commit } = report;
    const values = figures.map(({ of }) => of(report));
    const isWhole =
      [design, at, commit].every((one) => typeof one === "string") &&
      values.every((value) => value === null || Number.isFinite(value));
    return isWhole ? report : undefined;
  } catch {
    // not JSON, or JSON without the objects of a report
    return undefined;
  }
}

/** Called before a run: throws a WrongUsage where its report could not be stored. */
export async function makeResults(results: string): Promise<void> {
  try {
    await mkdir(results, { recursive: true });
  } catch (error) {
    throw new WrongUsage(`--results: ${reasonOf(error)}`, { cause: error });
  }
}

/** Stores a report, named after the time of the run, whole or not at all. Returns its file. */
export async function keepReport(report: Report, results: string): Promise<string> {
  const file = join(results, `${report.at.replaceAll(":", "-")}-${report.design}.json`);
  await replaceFile(file, jsonOf(report));
  return file;
}

/** Writes the file of --json. One that cannot be written costs a line on stderr and the exit status 2. */
export async function writeJson(file: string | undefined, content: object): Promise<void> {
  if (file === undefined) return;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, jsonOf(content));
  } catch (error) {
    process.stderr.write(`--json: ${file} cannot be written: ${reasonOf(error)}\n`);
    // Exit status 1 (an event was lost) takes precedence.
    process.exitCode ??= 2;
  }
}

export const jsonOf = (content: object): string => `${JSON.stringify(content, undefined, 1)}\n`;
