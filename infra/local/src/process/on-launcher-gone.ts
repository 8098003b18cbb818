import { fileOf, readProcess, type ProcessFigures } from "./processes.ts";

const checkEveryMs = 500;
// npx, npm exec, pnpm, and the shells between them.
const launcher = /(^|\/| )(npx|npm|pnpm)(\b|@)|^(\/bin\/)?(ba|da)?sh -c /;

/**
 * Calls back once when the `npx` or `pnpm` that started this process has ended. A signal to npx alone never arrives here:
 * npm sends the signal to a shell, which exits without forwarding it. Without this watch, this process would run for ever. Returns the function
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

// From the parent upwards, while the process belongs to the launch. The shell of a person or of a script does not.
function ancestors(): readonly ProcessFigures[] {
  const found: ProcessFigures[] = [];
  let one = read(process.ppid);
  while (one !== undefined && one.pid > 1 && launcher.test((fileOf(one.pid, "cmdline") ?? "").replaceAll("\0", " "))) {
    found.push(one);
    one = read(one.parent);
  }
  return found;
}

function read(pid: number): ProcessFigures | undefined {
  const found = readProcess(pid);
  return found?.state === "Z" ? undefined : found;
}
