import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export const benchMain = join(import.meta.dirname, "..", "bench", "src", "main.ts");

/** Runs the bench as its users do, and stores its runs in the folder. */
export async function runBench(folder: string, ...flags: readonly string[]) {
  const args = [benchMain, "--results", folder, ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { exitCode, output, errors };
}

/** Runs the bench once, in a new folder. Throws when it writes no report. */
export async function benchReport(...flags: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "tally-bench-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "report.json");
  const run = await runBench(folder, "--json", file, ...flags);
  const report = await readFile(file, "utf8").catch((error: unknown) => {
    throw new Error(`the bench wrote no report\n${run.output}\n${run.errors}`, { cause: error });
  });
  return { ...run, report: JSON.parse(report) };
}
