import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ServiceError } from "./service-error.ts";

/**
 * Takes the directory for this process; gives the function that lets go. Throws `directory-in-use` while another launcher has it.
 * The lock of a dead launcher is taken over, also when its pid belongs to some other process by now.
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  // The mode would hold for all folders that are made: users of the servers could not enter the one above.
  await mkdir(dirname(directory), { recursive: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, "launcher.lock");
  const holder = holderOf(file);
  if (holder !== undefined) {
    if (holder.born === birthOf(holder.pid)) {
      throw new ServiceError(
        "directory-in-use",
        `Something already runs in ${directory}, started by process ${holder.pid}. Stop that one, or use another directory.`,
      );
    }
    rmSync(file, { force: true });
  }
  // "wx": of two launchers that come here together, one fails.
  writeFileSync(file, `${process.pid} ${birthOf(process.pid)}`, { flag: "wx" });
  return () => rmSync(file, { force: true });
}

/** Whether whoever has taken the directory has ended without letting go. */
export function isAbandoned(directory: string): boolean {
  const holder = holderOf(join(directory, "launcher.lock"));
  return holder !== undefined && holder.born !== birthOf(holder.pid);
}

function holderOf(file: string): { pid: number; born: string | undefined } | undefined {
  try {
    const [pid, born] = readFileSync(file, "utf8").split(" ");
    return { pid: Number(pid), born };
  } catch {
    return undefined;
  }
}

/** When the process was started, in the kernel's ticks: with the pid it names a process for good. "alive" where there is no /proc. */
function birthOf(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch {
    return "dead";
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses and may hold blanks; the start time is the 22nd.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "alive";
  } catch {
    return "alive";
  }
}
