import { existsSync, readdirSync, readFileSync } from "node:fs";

/* Reads /proc of Linux. A process that ends while it is read counts as absent; without /proc all do. */

// USER_HZ, which is the same on all Linux systems.
const ticksPerSecond = 100;
const pageBytes = 4096;

/** CPU time so far and resident memory of a process. */
export interface ProcessFigures {
  readonly pid: number;
  /** Its program, at most 15 characters; a kernel thread has its own name. */
  readonly name: string;
  /** One letter, such as Z for a zombie. */
  readonly state: string;
  readonly parent: number;
  /** The id of its process group: the pid of the group's leader. */
  readonly group: number;
  /** Clock ticks since boot. Together with the pid it identifies a process. */
  readonly startedAt: string;
  readonly cpuSeconds: number;
  readonly endedChildrenCpuSeconds: number;
  readonly memoryMiB: number;
}

/** The CPU time of the whole machine since boot, in seconds of all cores together. */
export interface CpuTime {
  /** The time of processes, nice ones too, and of the kernel for them; without interrupts, which it counts apart. */
  readonly processSeconds: number;
  /** Time in which the hypervisor gave a core to another virtual machine. */
  readonly stealSeconds: number;
  /** All time, idle time included. */
  readonly totalSeconds: number;
}

/** undefined: there is no /proc/stat, as on other systems than Linux. */
export function readCpuTime(): CpuTime | undefined {
  let text: string;
  try {
    text = readFileSync("/proc/stat", "utf8");
  } catch {
    return undefined;
  }
  return cpuTimeIn(text);
}

/** Reads the content of /proc/stat. */
export function cpuTimeIn(text: string): CpuTime {
  // user nice system idle iowait irq softirq steal; then the time of guests, which user and nice include (proc(5)).
  const [, ...fields] = text.slice(0, text.indexOf("\n")).split(/ +/);
  const seconds = fields.slice(0, 8).map((field) => Number(field) / ticksPerSecond);
  const [user = 0, nice = 0, system = 0] = seconds;
  return {
    processSeconds: user + nice + system,
    stealSeconds: seconds[7] ?? 0,
    totalSeconds: seconds.reduce((sum, one) => sum + one, 0),
  };
}

/** undefined: there is no such process. */
export function readProcess(pid: number): ProcessFigures | undefined {
  const text = fileOf(pid, "stat");
  return text === undefined ? undefined : processIn(pid, text);
}

/** Reads the content of /proc/<pid>/stat. */
export function processIn(pid: number, text: string): ProcessFigures {
  // After the name, which may contain anything: state, parent, group, … (proc(5), from field 3).
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid,
    name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
    state: fields[0] ?? "",
    parent: field(4),
    group: field(5),
    startedAt: fields[19] ?? "",
    cpuSeconds: (field(14) + field(15)) / ticksPerSecond,
    endedChildrenCpuSeconds: (field(16) + field(17)) / ticksPerSecond,
    memoryMiB: (field(24) * pageBytes) / 2 ** 20,
  };
}

/** All processes of the machine. Costs some ms. */
export function readProcesses(): readonly ProcessFigures[] {
  return pids().flatMap((pid) => readProcess(pid) ?? []);
}

/** The pids of the processes whose command line or environment contains a text. Processes of other users may be
 * missing. */
export function processesNaming(text: string): readonly number[] {
  return pids().filter((pid) => (["cmdline", "environ"] as const).some((file) => fileOf(pid, file)?.includes(text)));
}

/** A file of a process in /proc. undefined: the process has ended, or another user owns it. */
export function fileOf(pid: number, file: "cmdline" | "environ" | "stat"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

function pids(): readonly number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

const checkEveryMs = 500;
// npx, npm exec, pnpm, and the shells between them.
const launcher = /(^|\/| )(npx|npm|pnpm)(\b|@)|^(\/bin\/)?(ba|da)?sh -c /;

/** Calls back once when the `npx` or `pnpm` that started this has ended: npm does not forward signals. Needs /proc. */
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
