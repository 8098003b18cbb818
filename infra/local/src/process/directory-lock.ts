import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { endLeftovers } from "./leftovers.ts";
import { readProcess } from "./processes.ts";
import { ServiceError } from "./service-error.ts";

/**
 * Locks the directory for this process; returns the function that unlocks it. Throws `directory-in-use` while another launcher has it.
 * Takes over the lock of a dead launcher, also when another process has its pid now.
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  // mkdir applies the mode to every folder that it creates: with 0700 on the parent, the users of the servers could not enter.
  await mkdir(dirname(directory), { recursive: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, "launcher.lock");
  const holder = holderOf(file);
  if (holder !== undefined) {
    if (holder.startedAt === startOf(holder.pid)) {
      throw new ServiceError(
        "directory-in-use",
        `Process ${holder.pid} already runs tally in ${directory}. Stop that process, or use another directory.`,
      );
    }
    rmSync(file, { force: true });
  }
  // "wx": of two launchers at the same time, one fails.
  writeFileSync(file, `${process.pid} ${startOf(process.pid)}`, { flag: "wx" });
  return () => rmSync(file, { force: true });
}

export interface ClaimedDirectory {
  readonly directory: string;
  /** Unlocks it and keeps its files, e.g. for a person who wants to read the logs. */
  readonly release: () => void;
}

/**
 * Creates `<parent>/<name>-<pid>`, empty and locked for this process, for a system whose services and apps live in its folders. First ends
 * what killed processes have left running in directories of the same name, and deletes these directories.
 */
export async function claimDirectory(
  parent: string,
  name: string,
  say: (line: string) => void,
): Promise<ClaimedDirectory> {
  const prefix = `${name}-`;
  const entries = await readdir(parent).catch(() => []);
  for (const entry of entries) {
    const abandoned = resolve(parent, entry);
    if (!entry.startsWith(prefix) || !isAbandoned(abandoned)) continue;
    // Sorted, so that `apps` come before the `services` that they need.
    for (const folder of (await readdir(abandoned)).toSorted()) await endLeftovers(join(abandoned, folder), say);
    await rm(abandoned, { recursive: true, force: true, maxRetries: 5 });
  }
  const directory = resolve(parent, `${prefix}${process.pid}`);
  await rm(directory, { recursive: true, force: true });
  return { directory, release: await lockDirectory(directory) };
}

/** Whether the process that locked the directory has ended without unlocking it. */
function isAbandoned(directory: string): boolean {
  const holder = holderOf(join(directory, "launcher.lock"));
  return holder !== undefined && holder.startedAt !== startOf(holder.pid);
}

function holderOf(file: string): { pid: number; startedAt: string | undefined } | undefined {
  try {
    const [pid, startedAt] = readFileSync(file, "utf8").split(" ");
    return { pid: Number(pid), startedAt };
  } catch {
    return undefined;
  }
}

function startOf(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch {
    return "dead";
  }
  return readProcess(pid)?.startedAt ?? "alive";
}
