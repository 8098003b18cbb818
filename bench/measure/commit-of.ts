import { spawnSync } from "node:child_process";

/** The commit of a checkout, with "-dirty" where files differ from it. "unknown": not a git checkout. */
export function commitOf(root: string): string {
  const flags = ["--always", "--dirty", "--exclude=*"];
  const { status, stdout } = spawnSync("git", ["describe", ...flags], { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
}
