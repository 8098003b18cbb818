import { cp, realpath, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { temporaryDirectory } from "./kit/at-end.ts";

const root = join(import.meta.dirname, "..");
const left = new Set([".git", ".tally", ".turbo", "node_modules", join("bench", "results")]);

/** Copies this checkout as it is now: a test may change the copy and run it. It shares the installed packages. Returns its folder. */
export async function copyOfSources(): Promise<string> {
  // Outside of this checkout, whose tools skip ignored folders.
  const copy = await realpath(await temporaryDirectory());
  await cp(root, copy, {
    recursive: true,
    // The links of the workspace's packages to each other lead to the copies.
    verbatimSymlinks: true,
    filter: (source) => !left.has(relative(root, source)),
  });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}
