import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { lockFile } from "@tally/client/journal";
import { endOf } from "./docker.ts";
import { runCommand, ServiceError } from "./run-command.ts";
import { existsSync, readFileSync } from "node:fs";
import { fileOf } from "./processes.ts";
import { until } from "./until.ts";

/** Locks the directory; returns the unlock function. Throws `directory-in-use` while another launcher has it. The lock
 * is the file `<directory>.lock`: beside the directory, because a stop may delete that before it unlocks. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  // mkdir applies the mode to every folder that it creates: with 0700 on the parent, the users of the servers could not
  // enter.
  await mkdir(dirname(directory), { recursive: true });
  const unlock = await lockFile(
    `${directory}.lock`,
    (pid) =>
      new ServiceError(
        "directory-in-use",
        `Process ${pid} already runs tally in ${directory}. Stop that process, or use another directory.`,
      ),
  );
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return unlock;
}

/** Locks the directory for `work` and for what it has started: the lock ends with that one's `stop()`, or when `work`
 * fails. `stop()` may be called again. */
export async function whileLocked<T extends { readonly stop: () => Promise<void> }>(
  directory: string,
  work: () => Promise<T>,
): Promise<T> {
  await using held = new AsyncDisposableStack();
  held.defer(await lockDirectory(directory));
  const started = await work();
  held.defer(() => started.stop());
  const all = held.move();
  let stopped: Promise<void> | undefined;
  return { ...started, stop: () => (stopped ??= all.disposeAsync()) };
}

/** Creates `<parent>/<name>-<pid>`, empty and locked. First ends and deletes what killed processes have left there.
 * `release` unlocks it and keeps its files, e.g. for a person who wants to read the logs. */
export async function claimDirectory(parent: string, name: string, say: (line: string) => void) {
  const entries = await readdir(parent).catch(() => []);
  for (const entry of entries) {
    const [, directory] = /^(.+-\d+)\.lock$/.exec(entry) ?? [];
    if (directory?.startsWith(`${name}-`) === true) await deleteAbandoned(resolve(parent, directory), say);
  }
  const directory = resolve(parent, `${name}-${process.pid}`);
  const release = await lockDirectory(directory);
  for (const file of await readdir(directory)) await rm(join(directory, file), { recursive: true });
  return { directory, release };
}

async function deleteAbandoned(directory: string, say: (line: string) => void): Promise<void> {
  const release = await lockDirectory(directory).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === "directory-in-use") return undefined;
    throw error;
  });
  if (release === undefined) return;
  // In its folders, and in `apps` and `services` of these. Apps come before the `services` that they need.
  const folders = (await readdir(directory)).toSorted();
  for (const inner of ["apps", ".", "services"])
    for (const folder of folders) await endLeftovers(join(directory, folder, inner), say);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  await release();
}

/** The environment variable of every server and app that names its directory. */
export const directoryVariable = "TALLY_DIRECTORY";

/** In a directory of servers or apps: a folder of pid files, and the file that names the Compose project to delete. */
export const leftover = { pids: "run", project: "compose-project" } as const;

const endWithinMs = 20_000;

/** Ends this directory's servers whose launcher was killed, and deletes their containers. A pid may be reused: checks
 * the process's environment. Needs /proc. */
export async function endLeftovers(directory: string, say: (line: string) => void): Promise<void> {
  const folder = join(directory, leftover.pids);
  for (const file of existsSync(folder) ? await readdir(folder) : []) {
    const pid = Number(readFileSync(join(folder, file), "utf8"));
    if (isOurs(pid, directory)) {
      say(`Stopping ${file.replace(".pid", "")}, left behind by an earlier run (process ${pid})`);
      await end(pid, directory);
    }
    await rm(join(folder, file), { force: true });
  }
  const project = join(directory, leftover.project);
  if (!existsSync(project)) return;
  say("Deleting the containers of an earlier run");
  const name = readFileSync(project, "utf8");
  const { exitCode, errors } = await runCommand("docker", endOf(name, { keepData: false }), {
    environment: process.env,
  });
  if (exitCode === 0) await rm(project);
  else say(`The containers of ${name} cannot be deleted: ${errors.trim().split("\n").at(-1)}`);
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
