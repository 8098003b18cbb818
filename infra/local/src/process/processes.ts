import { readdirSync, readFileSync } from "node:fs";

/* Reads /proc of Linux. A process that ends while it is read counts as absent; without /proc all do. */

// USER_HZ, which is the same on all Linux systems.
const ticksPerSecond = 100;
const pageBytes = 4096;

/** CPU time so far and resident memory of a process. */
export interface ProcessFigures {
  readonly pid: number;
  /** One letter, such as Z for a zombie. */
  readonly state: string;
  readonly parent: number;
  /** The id of its process group: the pid of the group's leader. */
  readonly group: number;
  /** Clock ticks since boot. Together with the pid it identifies a process. */
  readonly startedAt: string;
  readonly cpuSeconds: number;
  readonly memoryMiB: number;
}

/** undefined: there is no such process. */
export function readProcess(pid: number): ProcessFigures | undefined {
  const text = fileOf(pid, "stat");
  if (text === undefined) return undefined;
  // After the name, which may contain anything: state, parent, group, … (proc(5), from field 3).
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid,
    state: fields[0] ?? "",
    parent: field(4),
    group: field(5),
    startedAt: fields[19] ?? "",
    cpuSeconds: (field(14) + field(15)) / ticksPerSecond,
    memoryMiB: (field(24) * pageBytes) / 2 ** 20,
  };
}

/** All processes of the machine. Costs some ms. */
export function readProcesses(): readonly ProcessFigures[] {
  return pids().flatMap((pid) => readProcess(pid) ?? []);
}

/** The pids of the processes whose command line or environment contains a text. Processes of other users may be missing. */
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
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}
