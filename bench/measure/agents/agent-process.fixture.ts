import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export const token = "a-token-of-a-test-0123456789";
const main = join(import.meta.dirname, "..", "main.ts");

/** Starts `bench agent` in its own process, on a free port of loopback. It is killed when the test ends. */
export async function startAgentProcess() {
  const { TALLY_BENCH_HOST: _host, ...environment } = process.env;
  const child = spawn(process.execPath, [main, "agent", "--port", "0"], {
    env: { ...environment, TALLY_BENCH_TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  const lines: string[] = [];
  const opened = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    const [, url] = /^agent at (\S+)$/.exec(line) ?? [];
    if (url !== undefined) opened.resolve(url);
  });
  child.once("exit", () => opened.reject(new Error(`the agent has exited: ${lines.join("; ")}`)));
  return { url: await opened.promise, lines, kill, child };
}
