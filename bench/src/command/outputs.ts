import { mkdir } from "node:fs/promises";
import { reasonOf } from "@tally/failures";
import type { Report } from "../report.ts";
import { keepReport, writeWithFolder } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";

/* The files of a run. A file that cannot be written costs one line on stderr and the exit status, not the other files. */

/** A file that a flag requests (undefined: it was not given), and its content. */
interface Output {
  readonly flag: string;
  readonly file: string | undefined;
  readonly content: () => string | Promise<string>;
}

/** Called before a run: throws a WrongUsage where its report could not be stored. */
export async function makeResults(results: string): Promise<void> {
  try {
    await mkdir(results, { recursive: true });
  } catch (error) {
    throw new WrongUsage(`--results: ${reasonOf(error)}`, { cause: error });
  }
}

/** Stores a report. Returns one line about it. */
export async function stored(report: Report, results: string): Promise<string> {
  try {
    return `stored as ${await keepReport(report, results)}`;
  } catch (error) {
    return `not stored: ${notWritten("--results", results, error)}`;
  }
}

/** Writes each file and its folder, even when another one fails. */
export async function writeOutputs(outputs: readonly Output[]): Promise<void> {
  for (const { flag, file, content } of outputs) {
    if (file === undefined) continue;
    try {
      await writeWithFolder(file, await content());
    } catch (error) {
      process.stderr.write(`${notWritten(flag, file, error)}\n`);
    }
  }
}

function notWritten(flag: string, file: string, error: unknown): string {
  // 1, an event was lost, takes precedence.
  process.exitCode ??= 2;
  return `${flag}: ${file} cannot be written: ${reasonOf(error)}`;
}
