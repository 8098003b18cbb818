import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";

/** The user that a server runs as instead of root. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

// See capabilities(7): without it, root cannot read the environment of other users' processes, so a later launcher could not find leftovers.
const capSysPtrace = 1n << 19n;

/**
 * The first of these users that exists, when we are root. Undefined when we are not root: the server runs as our user. Also undefined, and the
 * server runs as root with a line that says why, in three cases: none of the users exists; root lacks CAP_SYS_PTRACE; or the user cannot
 * enter the directory or run the program, such as in a checkout below a folder that only root can enter.
 */
export function serverUser(
  names: readonly string[],
  program: string,
  { directory, say }: { readonly directory: string; readonly say: (line: string) => void },
): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const runsAsRoot = (why: string): undefined => {
    say(`${names[0]} runs as root: ${why}`);
    return undefined;
  };
  const user = names.map(userNamed).find((found) => found !== undefined);
  if (user === undefined) return runsAsRoot(`there is no user ${names.join(" or ")}`);
  if (!hasPtrace()) return runsAsRoot("root cannot inspect other users' processes here (CAP_SYS_PTRACE)");
  chmodSync(directory, 0o711); // its files stay readable by their owners only
  for (const path of [directory, program]) {
    if (!canExecute(user, path)) return runsAsRoot(`the user ${user.name} cannot enter ${path}`);
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

function hasPtrace(): boolean {
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return capabilities !== undefined && (BigInt(`0x${capabilities}`) & capSysPtrace) !== 0n;
}

/** For a folder: whether the user can enter it. */
function canExecute({ uid, gid }: ServerUser, path: string): boolean {
  return spawnSync("test", ["-x", path], { uid, gid, cwd: "/" }).status === 0;
}
