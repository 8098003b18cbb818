import { readCpuTime, readProcesses, type CpuTime, type ProcessFigures } from "@tally/local";

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
