import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { temporaryDirectory } from "./at-end.ts";

const mainOf = (folder: "bench" | "chaos") => join(import.meta.dirname, "..", folder, "src", "main.ts");
export const benchMain = mainOf("bench");

/** Runs a program to its end. It gets SIGTERM when the test ends before it. */
export async function runProgram(program: string, ...args: readonly string[]) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { exitCode, output, errors };
}

/** Runs `pnpm bench` or `pnpm chaos`. `report`: what it wrote as JSON; undefined if nothing. */
export async function runReported(folder: "bench" | "chaos", ...flags: readonly string[]) {
  const file = join(await temporaryDirectory(), "report.json");
  const run = await runProgram(process.execPath, mainOf(folder), "--json", file, ...flags);
  const written = await readFile(file, "utf8").catch(() => undefined);
  return { ...run, report: written === undefined ? undefined : JSON.parse(written) };
}

/** Runs `pnpm bench`, which stores its runs in a temporary folder. */
export const runBench = async (...flags: readonly string[]) =>
  runReported("bench", "--results", await temporaryDirectory(), ...flags);

/** Runs `pnpm bench`, which must succeed. */
export async function bench(...flags: readonly string[]) {
  const run = await runBench(...flags);
  expect(run, `${run.output}\n${run.errors}`).toMatchObject({ exitCode: 0 });
  return run;
}
