import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** This checkout. */
export const here = join(import.meta.dirname, "..");

const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: here, stdio: "pipe" });

/** False in a shallow clone without the commit. */
export function isInClone(commit: string): boolean {
  try {
    git("cat-file", "-e", commit);
    return true;
  } catch {
    return false;
  }
}

/** Checks a commit out and installs it, once for all runs. Returns its folder. */
export function checkedOut(commit: string): string {
  const folder = join(here, ".tally", "builds", commit);
  if (!existsSync(join(folder, ".git"))) git("worktree", "add", "--force", "--detach", folder, commit);
  execFileSync("npx", ["-y", "pnpm@12", "install", "--frozen-lockfile", "--prefer-offline"], {
    cwd: folder,
    env: { ...process.env, CI: "true" },
    stdio: "pipe",
  });
  return folder;
}

/** A folder whose apps are those of a commit, until it becomes another checkout: as a deployment replaces a release. */
export async function openRelease(commit: string) {
  const folder = join(here, ".tally", `release-${process.pid}`);
  const become = async (checkout: string) => {
    await symlink(checkout, `${folder}.new`);
    await rename(`${folder}.new`, folder);
  };
  await become(checkedOut(commit));
  onTestFinished(() => rm(folder, { force: true }));
  return { folder, become };
}
