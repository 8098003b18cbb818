import { link, open, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { TallyClientError } from "../tally-client-error.ts";

// A process in another container, on another machine, or without /proc, counts as dead when it has not touched its file
// for this long: also one that is frozen.
const silentMs = 10_000;
const touchEveryMs = 1000;

/** Removes the lock file, unless another process has taken it over. */
export interface Unlock {
  (): Promise<void>;
  /** False when another process has taken the lock over: this one was frozen. */
  readonly isHeld: () => Promise<boolean>;
}

/** Creates a lock file that names this process. Takes over the file of a process that has ended; waits 10 s before, if
 * that was in another container, or where there is no /proc. Throws the error of `inUse` while the process runs. One of
 * any number of processes at the same time gets it. The file system must have hard links.
 *
 * The file appears with its content, so no process reads half of it. The file of a dead process is never removed, only
 * replaced, and only by the holder of `<path>.takeover`, a lock of the same kind, after another look: a process that is
 * late does not remove the file of a faster one. */
export async function lockFile(
  path: string,
  inUse: (pid: number) => Error = (pid) => new TallyClientError("JOURNAL_IN_USE", `process ${pid} holds ${path}`),
): Promise<Unlock> {
  const own = `${path}.${crypto.randomUUID()}`;
  const file = await open(own, "wx");
  try {
    await file.writeFile(`${process.pid} ${await startOf(process.pid)} ${await ownPlace()}`);
    while (!(await appears(own, path))) {
      const holder = (await contentOf(path))?.toString();
      // Its holder has removed it since.
      if (holder === undefined) continue;
      if (await isAlive(path, holder)) throw inUse(pidOf(holder));
      if (await takeOver(path, holder, own, inUse)) break;
    }
  } catch (error) {
    await file.close();
    throw error;
  } finally {
    await rm(own, { force: true });
  }
  const { ino } = await file.stat();
  const isHeld = async () => (await statOf(path))?.ino === ino;
  const touch = () => void file.utimes(new Date(), new Date()).catch(() => undefined);
  const touching = setInterval(touch, touchEveryMs).unref();
  const unlock = async () => {
    clearInterval(touching);
    if (await isHeld()) await rm(path, { force: true });
    await file.close();
  };
  return Object.assign(unlock, { isHeld });
}

const statOf = (path: string) => stat(path).catch(() => undefined);

/** Returns false when the lock file exists. */
async function appears(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Replaces the file of a dead process. Returns false when it has changed. */
async function takeOver(path: string, holder: string, own: string, inUse: (pid: number) => Error): Promise<boolean> {
  const unlock = await lockFile(`${path}.takeover`, inUse);
  try {
    const isSame = (await contentOf(path))?.toString() === holder;
    if (isSame) await rename(own, path);
    return isSame;
  } finally {
    await unlock();
  }
}

/** undefined: there is no such file. */
export async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Whether the process runs that a lock file names. A file without content names none. */
async function isAlive(path: string, content: string): Promise<boolean> {
  const [, startedAt = "", place] = content.split(" ");
  if (place !== undefined && place !== (await ownPlace())) return isTouched(path);
  const pid = pidOf(content);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user.
    if (!hasCode(error, "EPERM")) return false;
  }
  // Without /proc it may be a later process with the same pid.
  return startedAt === "" ? isTouched(path) : (await startOf(pid)) === startedAt;
}

/** The machine or container, and on Linux the namespace, in which a pid means this process. */
async function ownPlace(): Promise<string> {
  return `${hostname()}:${await readlink("/proc/self/ns/pid").catch(() => "")}`;
}

/** Looks for `silentMs` whether a file is touched, so that no clock matters. */
async function isTouched(path: string): Promise<boolean> {
  const touchedAt = async () => (await statOf(path))?.mtimeMs;
  const before = await touchedAt();
  for (let waitedMs = 0; waitedMs < silentMs; waitedMs += touchEveryMs) {
    await delay(touchEveryMs);
    const now = await touchedAt();
    // Undefined: its holder has removed it.
    if (now !== before) return now !== undefined;
  }
  return false;
}

/** On Linux when a process has started, so that a later process with the same pid is another one; empty for a zombie.
 * Elsewhere empty. */
async function startOf(pid: number): Promise<string> {
  try {
    const fields = await readFile(`/proc/${pid}/stat`, "utf8");
    // Fields 3 and 22 of proc(5), counted after the name, which may contain anything.
    const { 0: state, 19: startedAt = "" } = fields.slice(fields.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? "" : startedAt;
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ESRCH")) return "";
    throw error;
  }
}

function pidOf(content: string): number {
  return Number(content.split(" ")[0]);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
