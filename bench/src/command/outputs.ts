import { mkdir } from "node:fs/promises";
import type { Report } from "../report.ts";
import { keepReport, writeWithFolder } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";

/* What is left of a run. By then it is over: a file that cannot be written costs a line and the exit status, and nothing else. */

/** A file that somebody asked for by a flag, if they did, and what comes into it. */
interface Output {
  readonly flag: string;
  readonly file: string | undefined;
  readonly content: () => string | Promise<string>;
}

/** Before a run: throws a WrongUsage where its report could not be stored. */
export async function makeResults(results: string): Promise<void> {
  try {
    await mkdir(results, { recursive: true });
  } catch (error) {
    throw new WrongUsage(`--results: ${reasonOf(error)}`, { cause: error });
  }
}

/** Stores a report; answers how that went, as a line. */
export async function stored(report: Report, results: string): Promise<string> {
  try {
    return `stored as ${await keepReport(report, results)}`;
  } catch (error) {
    return `not stored: ${notWritten("--results", results, error)}`;
  }
}

/** Writes each file, with its folder, whatever becomes of the others. */
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
  // 1, something was lost, is graver.
  process.exitCode ??= 2;
  return `${flag}: ${file} cannot be written: ${reasonOf(error)}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
