import { existsSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileOf } from "./processes.ts";
import { until } from "./until.ts";

/** The environment variable of every server and app that names its directory. */
export const directoryVariable = "TALLY_DIRECTORY";

const endWithinMs = 20_000;

/** Ends this directory's servers whose launcher was killed. The pid may be reused: checks the process's environment. Needs /proc. */
export async function endLeftovers(directory: string, say: (line: string) => void): Promise<void> {
  const folder = join(directory, "run");
  if (!existsSync(folder)) return;
  for (const file of await readdir(folder)) {
    const pid = Number(readFileSync(join(folder, file), "utf8"));
    if (isOurs(pid, directory)) {
      say(`Stopping ${file.replace(".pid", "")}, left behind by an earlier run (process ${pid})`);
      await end(pid, directory);
    }
    await rm(join(folder, file), { force: true });
  }
}

async function end(pid: number, directory: string): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    // SIGCONT: a process that is stopped (SIGSTOP) handles SIGTERM only when it runs again.
    for (const one of [signal, "SIGCONT"] as const) if (isOurs(pid, directory)) process.kill(pid, one);
    if (await until(async () => !isOurs(pid, directory), { withinMs: endWithinMs })) return;
  }
}

function isOurs(pid: number, directory: string): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  return fileOf(pid, "environ")?.split("\0").includes(`${directoryVariable}=${directory}`) === true;
}
