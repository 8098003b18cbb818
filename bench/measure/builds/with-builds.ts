import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { claimDirectory, ServiceError } from "@tally/local";
import { WrongUsage } from "../wrong-usage.ts";

/** Another commit of this repository, installed in a folder. */
export interface Build {
  readonly commit: string;
  readonly folder: string;
}

interface BuildOptions {
  readonly root: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const run = promisify(execFile);

/**
 * Checks out commits as git worktrees in `.tally` and installs them, calls `work` with the builds by revision, and
 * removes them. A revision is a hash, a tag or a branch. Throws a WrongUsage before anything else where this clone
 * lacks one.
 */
export async function withBuilds(
  revisions: readonly string[],
  { root, say, signal }: BuildOptions,
  work: (builds: ReadonlyMap<string, Build>) => Promise<void>,
): Promise<void> {
  const git = (...args: readonly string[]) => run("git", args, { cwd: root, signal });
  const commitOf = async (revision: string): Promise<string> => {
    const found = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
    return (await found.catch(() => Promise.reject(new WrongUsage(`there is no commit ${revision} in this clone`))))
      .stdout;
  };
  const commits = await Promise.all(revisions.map(commitOf));
  if (commits.length === 0) return work(new Map());
  const { directory } = await claimDirectory(join(root, ".tally"), "builds", say);
  const builds = new Map<string, Build>();
  try {
    for (const [index, revision] of revisions.entries()) {
      const commit = commits[index]?.trim() ?? "";
      const folder = join(directory, String(index));
      say(`installing ${revision}`);
      await git("worktree", "add", "--detach", folder, commit);
      const flags = ["--frozen-lockfile", "--prefer-offline"];
      await run("npx", ["-y", "pnpm@12", "install", ...flags], { cwd: folder, signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new ServiceError("server-failed", `${revision} cannot be installed: ${String(error)}`);
      });
      builds.set(revision, { commit, folder });
    }
    await work(builds);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    await run("git", ["worktree", "prune"], { cwd: root });
  }
}
