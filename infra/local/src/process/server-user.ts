import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import type { Workshop } from "../servers/context.ts";

/** The user that a server runs as in place of root. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

// See capabilities(7): without it, root cannot look at other users' processes, and a later launcher not at what is left of ours.
const CAP_SYS_PTRACE = 1n << 19n;

/**
 * The first of these users that exists, when we are root. Undefined when we are not root: the server runs as our user. Also undefined, and the
 * server runs as root with a line that says why, in three cases: none of the users exists; root lacks CAP_SYS_PTRACE; or the user cannot
 * enter the directory or run the program, such as in a checkout below a folder that only root can enter.
 */
export function serverUser(
  names: readonly string[],
  program: string,
  { directory, say }: Pick<Workshop, "directory" | "say">,
): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const stays = (why: string): undefined => {
    say(`${names[0]} runs as root: ${why}`);
    return undefined;
  };
  const user = names.map(userNamed).find((found) => found !== undefined);
  if (user === undefined) return stays(`there is no user ${names.join(" or ")}`);
  if (!mayLookAtOthers()) return stays("root has no right to look at other users' processes here (CAP_SYS_PTRACE)");
  chmodSync(directory, 0o711); // its files stay readable by their owners only
  for (const path of [directory, program]) {
    if (!canExecute(user, path)) return stays(`the user ${user.name} cannot come to ${path}`);
  }
  return user;
}

function userNamed(name: string): ServerUser | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid = "", gid = ""] = line?.split(":") ?? [];
  return /^[1-9]\d*$/.test(uid) && /^\d+$/.test(gid) ? { name, uid: Number(uid), gid: Number(gid) } : undefined;
}

function mayLookAtOthers(): boolean {
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return capabilities !== undefined && (BigInt(`0x${capabilities}`) & CAP_SYS_PTRACE) !== 0n;
}

/** Of a folder: whether the user can go through it. */
function canExecute({ uid, gid }: ServerUser, path: string): boolean {
  return spawnSync("test", ["-x", path], { uid, gid, cwd: "/" }).status === 0;
}
