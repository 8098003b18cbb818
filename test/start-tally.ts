import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { addressVariables, type System } from "@tally/local";
import { onTestFinished } from "vitest";
import { runTally } from "./run-tally.ts";

const main = join(import.meta.dirname, "..", "apps", "admin", "src", "main.ts");

/** Runs `tally …` on a system; its commands talk to the first gateway. */
export function tally(system: System, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return runTally(system, args, { TALLY_URL: system.url, ...more });
}

/** Likewise, and returns what it prints with --json. */
export async function tallyJson(system: System, ...args: readonly string[]) {
  const { output, errors, exitCode } = await tally(system, [...args, "--json"]);
  if (output === "") throw new Error(`tally ${args.join(" ")} ended with ${exitCode} and printed nothing: ${errors}`);
  return JSON.parse(output);
}

/** Starts it with `input` on stdin, as a process that the test may kill. */
export function startTally({ url, namespace, addresses }: System, args: readonly string[], input = "") {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env["PATH"], NAMESPACE: namespace, TALLY_URL: url, ...addressVariables(addresses) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(input);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]).then(([output, errors]) => ({
    exitCode: child.exitCode,
    output,
    errors,
  }));
  return { ended, pid: child.pid, kill: () => child.kill("SIGKILL") };
}
