import { round } from "../latency.ts";
import { foreignCpu } from "./foreign-cpu.ts";
import type { MachineReading } from "./read-machine.ts";

/** What the machine did besides the run, and how fast it was. Percentages are of the CPU time of all cores from the first request until everything was ranked. */
export interface Disturbance {
  /**
   * CPU time of processes that do not belong to the run, and which programs used most of it. null: unknown, because the machine has no /proc or
   * the target was running before, or an agent runs on another machine.
   */
  readonly foreign: {
    readonly percent: number;
    readonly cpuSeconds: number;
    readonly largest: readonly { readonly name: string; readonly cpuSeconds: number }[];
  } | null;
  /** Time in which the hypervisor gave a core to another virtual machine. null: unknown, because the machine has no /proc. */
  readonly steal: { readonly percent: number; readonly cpuSeconds: number } | null;
  /** The time of one step of the calibration loop before the load and after everything was ranked, their mean, and the change in percent. */
  readonly calibration: {
    readonly beforeNs: number;
    readonly afterNs: number;
    readonly meanNs: number;
    readonly changePercent: number;
  };
  /** Whether foreign CPU time and steal are more than 5 % together. null: unknown. */
  readonly isDisturbed: boolean | null;
}

/** More than this much foreign CPU time and steal disturbs a run. */
export const disturbedAbovePercent = 5;

/** What is known about the machine during a load. */
export interface MachineSeen {
  /** At the first request and when everything was ranked, or at the last response where nothing is. undefined: the machine has no /proc. */
  readonly readings: readonly [before: MachineReading | undefined, after: MachineReading | undefined];
  /** The processes whose descendants are the run; undefined: unknown. */
  readonly roots: readonly number[] | undefined;
  readonly calibrationNs: { readonly before: number; readonly after: number };
}

export function disturbanceOf({ readings, roots, calibrationNs }: MachineSeen): Disturbance {
  const { before, after } = calibrationNs;
  const { foreign, steal } = sharesOf(readings, roots);
  return {
    foreign,
    steal,
    calibration: {
      beforeNs: round(before, 3),
      afterNs: round(after, 3),
      meanNs: round((before + after) / 2, 3),
      changePercent: round((after / before - 1) * 100, 1),
    },
    isDisturbed: isDisturbed(foreign, steal),
  };
}

function isDisturbed(foreign: Disturbance["foreign"], steal: Disturbance["steal"]): boolean | null {
  if ((foreign?.percent ?? 0) + (steal?.percent ?? 0) > disturbedAbovePercent) return true;
  return foreign === null || steal === null ? null : false;
}

function sharesOf(
  [before, after]: MachineSeen["readings"],
  roots: MachineSeen["roots"],
): Pick<Disturbance, "foreign" | "steal"> {
  if (before === undefined || after === undefined) return { foreign: null, steal: null };
  const total = after.cpu.totalSeconds - before.cpu.totalSeconds;
  const part = (seconds: number) => ({ percent: round((seconds / total) * 100, 1), cpuSeconds: round(seconds, 2) });
  const foreign = roots && foreignCpu(before, after, roots);
  return {
    foreign:
      foreign === undefined
        ? null
        : {
            ...part(foreign.seconds),
            largest: foreign.largest.map(({ name, seconds }) => ({ name, cpuSeconds: round(seconds, 2) })),
          },
    steal: part(after.cpu.stealSeconds - before.cpu.stealSeconds),
  };
}
