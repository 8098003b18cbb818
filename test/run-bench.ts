import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export const benchMain = join(import.meta.dirname, "..", "bench", "src", "main.ts");

/** Runs the bench as its users do, and stores its runs in the folder. */
export async function runBench(folder: string, ...flags: readonly string[]) {
  const args = [benchMain, "--results", folder, ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { exitCode, output, errors };
}
