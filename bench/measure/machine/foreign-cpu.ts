import type { ProcessFigures } from "@tally/local";
import type { MachineReading } from "./read-machine.ts";

/** CPU time of processes that do not belong to a run. */
export interface ForeignCpu {
  readonly seconds: number;
  /** The programs that used most of it, at most three, without processes that have ended. */
  readonly largest: readonly { readonly name: string; readonly seconds: number }[];
}

const largestShown = 3;

/**
 * The CPU time that processes outside the run used between two readings. `roots`: the processes of the run; their descendants, and the process
 * groups that one of these leads, belong to it. Kernel threads belong to nothing: the run's own network and disk keep them busy.
 *
 * Two lower bounds, of which the larger counts: the machine's CPU time without that of the run, which includes processes that are invisible
 * from a container, and the sum of all visible other processes, which is exact on kernels that count the interrupts of a process as its own.
 */
export function foreignCpu(before: MachineReading, after: MachineReading, roots: readonly number[]): ForeignCpu {
  const [first, last] = [before, after].map(({ processes }) => byOwner(processes, roots));
  const between = (of: "own" | "kernel" | "foreign"): number => secondsOf(last?.[of]) - secondsOf(first?.[of]);
  const invisible = after.cpu.processSeconds - before.cpu.processSeconds - between("own") - between("kernel");
  return {
    seconds: Math.max(0, invisible, between("foreign")),
    largest: largestOf(first?.foreign ?? [], last?.foreign ?? []),
  };
}

interface Owners {
  readonly own: readonly ProcessFigures[];
  readonly kernel: readonly ProcessFigures[];
  readonly foreign: readonly ProcessFigures[];
}

function byOwner(processes: readonly ProcessFigures[], roots: readonly number[]): Owners {
  const own = ownPids(processes, roots);
  const threads = processes.find(({ name, parent }) => name === "kthreadd" && parent === 0)?.pid;
  const isKernel = ({ pid, parent }: ProcessFigures): boolean =>
    threads !== undefined && (pid === threads || parent === threads);
  return {
    own: processes.filter(({ pid }) => own.has(pid)),
    kernel: processes.filter(isKernel),
    foreign: processes.filter((process) => !own.has(process.pid) && !isKernel(process)),
  };
}

/** A process of the run whose parent has ended has another parent, but keeps its group. */
function ownPids(processes: readonly ProcessFigures[], roots: readonly number[]): ReadonlySet<number> {
  const own = new Set(roots);
  for (let known = 0; known < own.size;) {
    known = own.size;
    for (const { pid, parent, group } of processes) if (own.has(parent) || own.has(group)) own.add(pid);
  }
  return own;
}

/** A process that ends moves its time to its parent, which waits for it: the sum stays the same. */
function secondsOf(processes: readonly ProcessFigures[] = []): number {
  return processes.reduce(
    (sum, { cpuSeconds, endedChildrenCpuSeconds }) => sum + cpuSeconds + endedChildrenCpuSeconds,
    0,
  );
}

function largestOf(before: readonly ProcessFigures[], after: readonly ProcessFigures[]): ForeignCpu["largest"] {
  const keyOf = ({ pid, startedAt }: ProcessFigures): string => `${pid} ${startedAt}`;
  const earlier = new Map(before.map((process) => [keyOf(process), process.cpuSeconds]));
  const seconds = new Map<string, number>();
  for (const process of after) {
    const used = process.cpuSeconds - (earlier.get(keyOf(process)) ?? 0);
    seconds.set(process.name, (seconds.get(process.name) ?? 0) + used);
  }
  return (
    [...seconds]
      .filter(([, used]) => used > 0)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, largestShown)
      // A program can give itself any name.
      .map(([name, used]) => ({ name: name.replaceAll(/[^ -~]/g, "?"), seconds: used }))
  );
}
