import { existsSync, readFileSync } from "node:fs";
import { readProcesses, type ProcessFigures } from "@tally/local";
import { round } from "../latency.ts";

/** The CPU time of the machine and of each of its processes at one moment. */
export type MachineReading = ReturnType<typeof readMachine>;

/** At the first request and when everything was ranked, or at the last response where nothing is. */
export type Readings = readonly [before: MachineReading, after: MachineReading];

/** Costs some ms. Throws on other systems than Linux. */
export const readMachine = () => ({ cpu: readCpuTime(), processes: readProcesses() });

// USER_HZ, which is the same on all Linux systems.
const ticksPerSecond = 100;

/** The CPU time of the whole machine since boot, in seconds of all cores. Throws on other systems than Linux. */
function readCpuTime() {
  if (!existsSync("/proc/stat")) throw new Error("the bench needs /proc/stat, as on Linux");
  const text = readFileSync("/proc/stat", "utf8");
  // user nice system idle iowait irq softirq steal; then the time of guests, which user and nice include (proc(5)).
  const [, ...fields] = text.slice(0, text.indexOf("\n")).split(/ +/);
  const seconds = fields.slice(0, 8).map((field) => Number(field) / ticksPerSecond);
  return {
    /** Time in which the hypervisor gave a core to another virtual machine. */
    stealSeconds: seconds[7] ?? 0,
    /** All time, idle time included. */
    totalSeconds: seconds.reduce((sum, one) => sum + one, 0),
  };
}

const disturbedAbovePercent = 5;
const largestShown = 3;

/** What the machine did besides the run, as shares of the CPU time of all cores. `roots`: processes that are the run,
 * with their descendants. `foreign`: processes that do not belong to the run, and which programs used most. `steal`:
 * time in which the hypervisor gave a core to another virtual machine. */
export function disturbanceOf([before, after]: Readings, roots: readonly number[]) {
  const total = after.cpu.totalSeconds - before.cpu.totalSeconds;
  const share = (seconds: number) => ({ percent: round((seconds / total) * 100, 1), cpuSeconds: round(seconds, 2) });
  const steal = share(after.cpu.stealSeconds - before.cpu.stealSeconds);
  const { seconds, largest } = foreignCpu(before.processes, after.processes, roots);
  const foreign = { ...share(seconds), largest };
  return { foreign, steal, isDisturbed: foreign.percent + steal.percent > disturbedAbovePercent };
}

/** The CPU time of processes outside the run. The descendants of `roots`, and the process groups that these lead,
 * belong to it. Kernel threads do not count: the run's own network and disk keep them busy. */
function foreignCpu(before: readonly ProcessFigures[], after: readonly ProcessFigures[], roots: readonly number[]) {
  const secondsOf = (all: readonly ProcessFigures[]): number =>
    // A process that ends moves its time to its parent, which waits for it: the sum stays the same.
    foreignIn(all, roots).reduce((sum, one) => sum + one.cpuSeconds + one.endedChildrenCpuSeconds, 0);
  const keyOf = ({ pid, startedAt }: ProcessFigures): string => `${pid} ${startedAt}`;
  const earlier = new Map(before.map((process) => [keyOf(process), process.cpuSeconds]));
  const byName = new Map<string, number>();
  for (const process of foreignIn(after, roots)) {
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
  // The first lacks what has ended. The second lacks as much as an ended process had whose parent does not wait for it.
  const ofRunning = [...byName.values()].reduce((sum, seconds) => sum + seconds, 0);
  return { seconds: Math.max(ofRunning, secondsOf(after) - secondsOf(before)), largest };
}

function foreignIn(processes: readonly ProcessFigures[], roots: readonly number[]): readonly ProcessFigures[] {
  const own = new Set(roots);
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
export function disturbanceText({ foreign, steal }: ReturnType<typeof disturbanceOf>): string {
  const largest = foreign.largest.map(({ name, cpuSeconds }) => `${name} ${cpuSeconds} s`).join(", ");
  return `foreign CPU ${foreign.percent} %${largest === "" ? "" : ` (${largest})`}, steal ${steal.percent} %`;
}
