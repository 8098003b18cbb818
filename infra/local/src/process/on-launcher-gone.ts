import { readFileSync } from "node:fs";

const checkEveryMs = 500;
// npx, npm exec, pnpm, and the shells that they put between each other.
const launcher = /(^|\/| )(npx|npm|pnpm)(\b|@)|^(\/bin\/)?(ba|da)?sh -c /;

/**
 * Calls back once when the `npx` or `pnpm` that started this process is gone. A signal sent to npx alone never comes through:
 * npm hands it to a shell that dies of it without handing it on, and whatever stands behind would run for ever. Returns how
 * to stop watching. Needs /proc; without it nothing is watched.
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
  /** In clock ticks since boot: with the pid it names a process for ever. */
  readonly startedAt: string;
  readonly command: string;
}

// From our parent upwards, as long as they belong to the launch; the shell of a person or a script ends the line.
function ancestors(): readonly Ancestor[] {
  const line: Ancestor[] = [];
  for (
    let one = read(process.ppid);
    one !== undefined && one.pid > 1 && launcher.test(one.command);
    one = read(one.parent)
  ) {
    line.push(one);
  }
  return line;
}

function read(pid: number): Ancestor | undefined {
  try {
    // The name in parentheses may hold anything; what follows the last one are plain fields, from the third on.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const [state, parent = "0"] = fields;
    if (state === "Z") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return { pid, parent: Number(parent), startedAt: fields[19] ?? "", command };
  } catch {
    return undefined; // it has ended, or there is no /proc
  }
}
