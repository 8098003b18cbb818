import { cp, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const left = new Set([".git", ".tally", ".turbo", "node_modules", join("bench", "results")]);

/** Copies this checkout as it is now: a test may change the copy and run it. It shares the installed packages. */
export async function copyOfSources(): Promise<{ readonly root: string; remove(): Promise<void> }> {
  // Outside of this checkout, whose tools skip ignored folders.
  const copy = await realpath(await mkdtemp(join(tmpdir(), "tally-sources-")));
  await cp(root, copy, {
    recursive: true,
    // The links of the workspace's packages to each other lead to the copies.
    verbatimSymlinks: true,
    filter: (source) => !left.has(relative(root, source)),
  });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  return { root: copy, remove: () => rm(copy, { recursive: true, force: true }) };
}
