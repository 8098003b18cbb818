import { readCpuTime, readProcesses, type CpuTime, type ProcessFigures } from "@tally/local";
import { round } from "../latency.ts";

/** The CPU time of the machine and of each of its processes at one moment. */
export interface MachineReading {
  readonly cpu: CpuTime;
  readonly processes: readonly ProcessFigures[];
}

/** undefined: the machine has no /proc, as on other systems than Linux. Costs some ms. */
export function readMachine(): MachineReading | undefined {
  const cpu = readCpuTime();
  return cpu === undefined ? undefined : { cpu, processes: readProcesses() };
}

interface Share {
  /** Of the CPU time of all cores, from the first request until everything was ranked. */
  readonly percent: number;
  readonly cpuSeconds: number;
}

/** What the machine did besides the run. null: unknown, because the machine has no /proc. */
interface Disturbance {
  /** Processes that do not belong to the run, and which programs used most. null also where the target ran before. */
  readonly foreign:
    | (Share & { readonly largest: readonly { readonly name: string; readonly cpuSeconds: number }[] })
    | null;
  /** Time in which the hypervisor gave a core to another virtual machine. */
  readonly steal: Share | null;
  /** Whether foreign CPU time and steal are more than 5 % together. */
  readonly isDisturbed: boolean | null;
}

const disturbedAbovePercent = 5;
const largestShown = 3;

/** What is known about the machine during a load. */
export interface MachineSeen {
  /** At the first request and when everything was ranked, or at the last response where nothing is. */
  readonly readings: readonly [before: MachineReading | undefined, after: MachineReading | undefined];
  /** The process whose descendants are the run; undefined: unknown. */
  readonly root: number | undefined;
}

export function disturbanceOf({ readings: [before, after], root }: MachineSeen): Disturbance {
  if (before === undefined || after === undefined) return { foreign: null, steal: null, isDisturbed: null };
  const total = after.cpu.totalSeconds - before.cpu.totalSeconds;
  const share = (seconds: number): Share => ({
    percent: round((seconds / total) * 100, 1),
    cpuSeconds: round(seconds, 2),
  });
  const steal = share(after.cpu.stealSeconds - before.cpu.stealSeconds);
  const used = root === undefined ? undefined : foreignCpu(before.processes, after.processes, root);
  const foreign = used === undefined ? null : { ...share(used.seconds), largest: used.largest };
  const isAbove = (foreign?.percent ?? 0) + steal.percent > disturbedAbovePercent;
  return { foreign, steal, isDisturbed: foreign === null && !isAbove ? null : isAbove };
}

/** The CPU time of processes outside the run. The descendants of `root`, and the process groups that these lead, belong
 * to it. Kernel threads do not count: the run's own network and disk keep them busy. */
function foreignCpu(before: readonly ProcessFigures[], after: readonly ProcessFigures[], root: number) {
  const secondsOf = (all: readonly ProcessFigures[]): number =>
    // A process that ends moves its time to its parent, which waits for it: the sum stays the same.
    foreignIn(all, root).reduce((sum, one) => sum + one.cpuSeconds + one.endedChildrenCpuSeconds, 0);
  const keyOf = ({ pid, startedAt }: ProcessFigures): string => `${pid} ${startedAt}`;
  const earlier = new Map(before.map((process) => [keyOf(process), process.cpuSeconds]));
  const byName = new Map<string, number>();
  for (const process of foreignIn(after, root)) {
    const used = process.cpuSeconds - (earlier.get(keyOf(process)) ?? 0);
    // A program can give itself any name.
    const name = process.name.replaceAll(/[^ -~]/g, "?");
    byName.set(name, (byName.get(name) ?? 0) + used);
  }
  const largest = [...byName]
    .filter(([, seconds]) => seconds > 0)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, largestShown)
    .map(([name, seconds]) => ({ name, cpuSeconds: round(seconds, 2) }));
  return { seconds: Math.max(0, secondsOf(after) - secondsOf(before)), largest };
}

function foreignIn(processes: readonly ProcessFigures[], root: number): readonly ProcessFigures[] {
  const own = new Set([root]);
  // A process of the run whose parent has ended has another parent, but keeps its group.
  for (let known = 0; known < own.size;) {
    known = own.size;
    for (const { pid, parent, group } of processes) if (own.has(parent) || own.has(group)) own.add(pid);
  }
  const threads = processes.find(({ name, parent }) => name === "kthreadd" && parent === 0)?.pid;
  const isKernel = ({ pid, parent }: ProcessFigures): boolean => pid === threads || parent === threads;
  return processes.filter((process) => !own.has(process.pid) && !isKernel(process));
}

/** Foreign CPU time and steal, such as "foreign CPU 52 % (node 1.1 s), steal 0.3 %". */
export function disturbanceText({ foreign, steal }: Disturbance): string {
  const largest = foreign?.largest.map(({ name, cpuSeconds }) => `${name} ${cpuSeconds} s`).join(", ") ?? "";
  const others = foreign === null ? "unknown" : `${foreign.percent} %${largest === "" ? "" : ` (${largest})`}`;
  return `foreign CPU ${others}, steal ${steal === null ? "unknown" : `${steal.percent} %`}`;
}
