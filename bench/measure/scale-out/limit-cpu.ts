import { existsSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { WrongUsage } from "../wrong-usage.ts";

// Short, so that a process that has used its share waits for some ms only.
const periodUs = 10_000;

/**
 * Limits each process, with its threads, to a share of one core, by a quota of the kernel (cgroup, version 1 or 2). `share` is from 0.1 on.
 * Resolves with the function that removes the limits; call it when the processes have ended. Throws a WrongUsage where the system has no
 * quotas or this user may not set them.
 */
export async function limitCpu(
  pids: readonly number[],
  share: number,
  cgroups = "/sys/fs/cgroup",
): Promise<() => Promise<void>> {
  const groups: string[] = [];
  const remove = async (): Promise<void> => {
    for (const group of groups.splice(0)) await rmdir(group);
  };
  try {
    const isVersion2 = existsSync(join(cgroups, "cgroup.controllers"));
    const parent = isVersion2 ? cgroups : join(cgroups, "cpu");
    if (isVersion2) await enableCpu(parent);
    for (const pid of pids) {
      const group = join(parent, `tally-bench-${pid}`);
      await mkdir(group);
      groups.push(group);
      for (const [file, value] of quota(Math.round(share * periodUs), isVersion2))
        await writeFile(join(group, file), value);
      await writeFile(join(group, "cgroup.procs"), String(pid));
    }
    return remove;
  } catch (error) {
    await remove().catch(() => undefined); // not empty: it has a process already
    throw new WrongUsage(`cannot limit the CPU time of a process: ${reasonOf(error)}; it needs root and ${cgroups}`, {
      cause: error,
    });
  }
}

function quota(quotaUs: number, isVersion2: boolean): readonly (readonly [file: string, value: string])[] {
  if (isVersion2) return [["cpu.max", `${quotaUs} ${periodUs}`]];
  return [
    ["cpu.cfs_period_us", String(periodUs)],
    ["cpu.cfs_quota_us", String(quotaUs)],
  ];
}

async function enableCpu(parent: string): Promise<void> {
  const file = join(parent, "cgroup.subtree_control");
  if (!(await readFile(file, "utf8")).split(/\s/).includes("cpu")) await writeFile(file, "+cpu");
}
