import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
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

/** Whether the process that locked the directory has ended without unlocking it. */
export function isAbandoned(directory: string): boolean {
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
