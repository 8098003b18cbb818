import { readFileSync, readlinkSync } from "node:fs";

/** A process, named so that an agent and the bench know whether they run on one machine. */
export interface ProcessName {
  /** The boot of the machine, and the namespace of `pid`. */
  readonly machine: string;
  readonly pid: number;
}

/** undefined: the machine has no /proc. */
export function ownProcess(): ProcessName | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return { machine: `${boot} ${readlinkSync("/proc/self/ns/pid")}`, pid: process.pid };
  } catch {
    return undefined;
  }
}

/** Their ids. undefined: one runs elsewhere, where nothing tells what else its machine does. */
export function pidsHere(processes: readonly (ProcessName | undefined)[]): readonly number[] | undefined {
  const own = ownProcess();
  const here = processes.flatMap((one) => (one !== undefined && one.machine === own?.machine ? [one.pid] : []));
  return here.length === processes.length ? here : undefined;
}

/**
 * The processes whose descendants are a run: the bench and its agents. undefined: unknown, because the target was running before or an agent runs
 * on another machine.
 */
export function rootsOf(
  target: string | undefined,
  agents: readonly number[] | undefined,
): readonly number[] | undefined {
  return target === undefined && agents !== undefined ? [process.pid, ...agents] : undefined;
}
