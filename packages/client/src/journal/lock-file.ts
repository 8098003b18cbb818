import { readFile, rm, writeFile } from "node:fs/promises";
import { TallyClientError } from "../tally-client-error.ts";

/**
 * Creates a lock file that names this process; returns the function that removes it. Takes over the file of a process that has ended. Throws
 * JOURNAL_IN_USE while the process runs. Of two processes at the same time one gets it, unless both take over the same file.
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const unlock = (): Promise<void> => rm(path, { force: true });
  const holder = await holderOf(path);
  if (holder !== undefined) {
    if (isAlive(holder.pid) && (await startOf(holder.pid)) === holder.startedAt) throw inUse(holder.pid, path);
    await unlock();
  }
  try {
    // "wx": fails when another process was faster.
    await writeFile(path, `${process.pid} ${await startOf(process.pid)}`, { flag: "wx" });
  } catch (error) {
    const faster = hasCode(error, "EEXIST") ? await holderOf(path) : undefined;
    throw faster === undefined ? error : inUse(faster.pid, path);
  }
  return unlock;
}

interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    const [pid, startedAt = ""] = (await readFile(path, "utf8")).split(" ");
    return { pid: Number(pid), startedAt };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** A process that died while it wrote its lock file has left it empty; the pid is then 0, which names no process here. */
function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return hasCode(error, "EPERM");
  }
}

/** On Linux when a process has started, so that a later process with the same pid is another one. Elsewhere empty. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // Field 22 of proc(5), counted after the name, which may contain anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ESRCH")) return "";
    throw error;
  }
}

function inUse(pid: number, path: string): TallyClientError {
  return new TallyClientError("JOURNAL_IN_USE", `process ${pid} holds ${path}`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
