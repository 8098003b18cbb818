import { readFileSync } from "node:fs";

interface ProcessStat {
  /** One letter, such as Z for a zombie. */
  readonly state: string;
  readonly parent: number;
  /** Clock ticks since boot. Together with the pid it identifies a process. */
  readonly startedAt: string;
}

/** From /proc/<pid>/stat. Undefined for a process that has ended, and where there is no /proc. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses and may hold anything, also ") ". The fields after it are plain.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent = "0"] = fields;
    return { state, parent: Number(parent), startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
