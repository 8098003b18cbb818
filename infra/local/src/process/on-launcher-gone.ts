import { readFileSync } from "node:fs";
import { processStat } from "./process-stat.ts";

const checkEveryMs = 500;
// npx, npm exec, pnpm, and the shells between them.
const launcher = /(^|\/| )(npx|npm|pnpm)(\b|@)|^(\/bin\/)?(ba|da)?sh -c /;

/**
 * Calls back once when the `npx` or `pnpm` that started this process has ended. A signal that is sent to npx alone never arrives here:
 * npm passes it to a shell, which dies and does not pass it on. Without this watch, this process would run for ever. Returns the function
 * that stops watching. Needs /proc; without it nothing is watched.
 */
export function onLauncherGone(gone: () => void): () => void {
  const launchers = ancestors();
  const timer = setInterval(() => {
    if (launchers.every(({ pid, startedAt }) => read(pid)?.startedAt === startedAt)) return;
    clearInterval(timer);
    gone();
  }, checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

interface Ancestor {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: string;
}

// From the parent upwards, while the process belongs to the launch. The shell of a person or of a script does not.
function ancestors(): readonly Ancestor[] {
  const found: Ancestor[] = [];
  let one = read(process.ppid);
  while (one !== undefined && one.pid > 1 && launcher.test(commandOf(one.pid))) {
    found.push(one);
    one = read(one.parent);
  }
  return found;
}

function read(pid: number): Ancestor | undefined {
  const stat = processStat(pid);
  return stat === undefined || stat.state === "Z" ? undefined : { pid, ...stat };
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // it has ended
  }
}
