import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { root } from "../kit/programs.ts";

/** Runs commands in a folder. Throws with their output when one fails. */
export function shellIn(folder: string, environment: NodeJS.ProcessEnv) {
  const env = { ...process.env, ...environment };
  const run = async (commands: string, cwd = folder): Promise<string> => {
    const options = { cwd, env, maxBuffer: 256 * 1024 * 1024 };
    const ran = promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], options);
    const { stdout } = await ran.catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${commands}\n${error.stdout}${error.stderr}`);
    });
    return stdout.trim();
  };
  const lines = async (commands: string) => (await run(commands)).split("\n").filter(Boolean);
  /** What Compose projects have left: containers, volumes and networks. */
  const leftOf = (projects: Iterable<string>) =>
    lines(`for project in ${Array.from(projects).join(" ")}; do for list in "ps --all" "volume ls" "network ls"; do
      docker $list --quiet --filter label=com.docker.compose.project=$project; done; done`);
  return { run, lines, leftOf };
}

/** A command of a document, with more arguments. */
export function documented(page: string, pattern: RegExp, more = ""): string {
  const [command] = pattern.exec(readFileSync(join(root, page), "utf8")) ?? expect.fail(`${page} lacks ${pattern}`);
  return `${command.replace(/ {2,}#.*$/, "")} ${more}`;
}
