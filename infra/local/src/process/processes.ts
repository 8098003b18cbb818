import { existsSync, readdirSync, readFileSync } from "node:fs";

/* Reads /proc of Linux. A process that ends while it is read counts as absent; without /proc all do. */

// USER_HZ, which is the same on all Linux systems.
const ticksPerSecond = 100;
const pageBytes = 4096;

/** CPU time so far and resident memory of a process. */
export type ProcessFigures = NonNullable<ReturnType<typeof readProcess>>;

/** undefined: there is no such process. */
function readProcess(pid: number) {
  const text = fileOf(pid, "stat");
  if (text === undefined) return undefined;
  // After the name, which may contain anything: state, parent, group, … (proc(5), from field 3).
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid,
    /** Its program, at most 15 characters; a kernel thread has its own name. */
    name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
    /** One letter, such as Z for a zombie. */
    state: fields[0] ?? "",
    parent: field(4),
    /** The id of its process group: the pid of the group's leader. */
    group: field(5),
    /** Clock ticks since boot. Together with the pid it identifies a process. */
    startedAt: fields[19] ?? "",
    cpuSeconds: (field(14) + field(15)) / ticksPerSecond,
    endedChildrenCpuSeconds: (field(16) + field(17)) / ticksPerSecond,
    memoryMiB: (field(24) * pageBytes) / 2 ** 20,
  };
}

/** All processes of the machine. Costs some ms. */
export function readProcesses(): readonly ProcessFigures[] {
  if (!existsSync("/proc")) return [];
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
}

/** A file of a process in /proc. undefined: the process has ended, or another user owns it. */
export function fileOf(pid: number, file: "cmdline" | "environ" | "stat"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

const checkEveryMs = 500;
// npx, npm exec, pnpm, and the shells between them.
const launcher = /(^|\/| )(npx|npm|pnpm)(\b|@)|^(\/bin\/)?(ba|da)?sh -c /;

/** Calls back once when the `npx` or `pnpm` that started this has ended: npm does not forward signals. Needs /proc. */
export function onLauncherGone(gone: () => void): void {
  const launchers = ancestors();
  const timer = setInterval(() => {
    if (launchers.every(({ pid, startedAt }) => read(pid)?.startedAt === startedAt)) return;
    clearInterval(timer);
    gone();
  }, checkEveryMs);
  timer.unref();
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
