import { mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { BenchPlan } from "../bench-plan.ts";
import { isGood, type Report } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { reasonOf } from "@tally/runtime";
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

/** The files of a command by their flags; undefined: the flag was not given. */
export type FilesByFlag = Readonly<Record<string, string | undefined>>;

/** Throws a WrongUsage where an output has the file of another one or of an input, also by another path to it. */
export async function refuseSameFiles(outputs: FilesByFlag, inputs: FilesByFlag): Promise<void> {
  const flagOf = new Map<string, string>();
  for (const [flag, file] of Object.entries(inputs)) if (file !== undefined) flagOf.set(await placeOf(file), flag);
  for (const [flag, file] of Object.entries(outputs)) {
    if (file === undefined) continue;
    const place = await placeOf(file);
    const other = flagOf.get(place);
    if (other !== undefined) throw new WrongUsage(`${flag}: expected another file than that of ${other}, got ${file}`);
    flagOf.set(place, flag);
  }
}

/** The path without links. The file may be missing, and so may its folders. */
async function placeOf(file: string): Promise<string> {
  const path = resolve(file);
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await placeOf(parent), basename(path));
  }
}

/** Called before a run: throws a WrongUsage where the requests of its load could not be written. The file keeps its content until the load begins. */
export async function checkRequestsCsv(file: string | undefined): Promise<void> {
  try {
    if (file === undefined) return;
    await mkdir(dirname(file), { recursive: true });
    await (await open(file, "a")).close();
  } catch (error) {
    throw new WrongUsage(`--requests-csv: ${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** Runs a plan and stores its report, before anything else can fail. `line` names its files. A run that is not good sets the exit status 1. */
export async function runAndStore(plan: BenchPlan, results: string): Promise<{ report: Report; line: string }> {
  const report = await runBench(plan);
  if (!isGood(report)) process.exitCode = 1;
  // Exit status 1 (an event was lost) takes precedence.
  if (report.requestLog && report.requestLog.leftOut > 0) process.exitCode ??= 2;
  try {
    const { file, page } = await keepReport(report, results);
    return { report, line: `stored as ${file}\npage with plots: ${page}` };
  } catch (error) {
    return { report, line: `not stored: ${notWritten("--results", results, error)}` };
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
  // Exit status 1 (an event was lost) takes precedence.
  process.exitCode ??= 2;
  return `${flag}: ${file} cannot be written: ${reasonOf(error)}`;
}
