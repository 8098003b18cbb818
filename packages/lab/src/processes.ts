import { readdirSync, readFileSync } from "node:fs";

/* Reads /proc of Linux. A process that ends while it is read counts as absent. */

/** CPU time so far and resident memory of a process. */
export interface ProcessFigures {
  readonly pid: number;
  /** The id of its process group: the pid of the group's leader. */
  readonly group: number;
  readonly cpuSeconds: number;
  readonly memoryMiB: number;
}

/** undefined: there is no such process. */
export function readProcess(pid: number): ProcessFigures | undefined {
  const text = fileOf(pid, "stat");
  if (text === undefined) return undefined;
  // After the name, which may contain anything: state, ppid, pgrp, … (proc(5), from field 3).
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid,
    group: field(5),
    cpuSeconds: (field(14) + field(15)) / 100, // USER_HZ is 100 on all Linux systems
    memoryMiB: (field(24) * 4096) / 2 ** 20, // in pages
  };
}

/** All processes of the machine. Costs some ms. */
export function readProcesses(): readonly ProcessFigures[] {
  return pids().flatMap((pid) => readProcess(pid) ?? []);
}

/** The pids of the processes whose command line or environment contains a text. Processes of other users may be missing. */
export function processesNaming(text: string): readonly number[] {
  return pids().filter((pid) => ["cmdline", "environ"].some((file) => fileOf(pid, file)?.includes(text)));
}

function pids(): readonly number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

function fileOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined; // it has ended, or another user owns it
  }
}
