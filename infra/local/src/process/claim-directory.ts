import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isAbandoned, lockDirectory } from "./directory-lock.ts";
import { endLeftovers } from "./leftovers.ts";

export interface ClaimedDirectory {
  readonly directory: string;
  /** Leaves it as it is, e.g. for somebody who wants to read its logs. */
  readonly release: () => void;
}

/**
 * Makes `<parent>/<name>-<pid>`, empty, for this process alone: for a stack whose services and apps live in folders of it. First ends what
 * others of the same name have left running there whose process was killed, and deletes their directories.
 */
export async function claimDirectory(
  parent: string,
  name: string,
  say: (line: string) => void,
): Promise<ClaimedDirectory> {
  const prefix = `${name}-`;
  const entries = await readdir(parent).catch(() => []);
  for (const entry of entries) {
    const abandoned = resolve(parent, entry);
    if (!entry.startsWith(prefix) || !isAbandoned(abandoned)) continue;
    // In this order apps come before the services that they need.
    for (const folder of (await readdir(abandoned)).toSorted()) await endLeftovers(join(abandoned, folder), say);
    await rm(abandoned, { recursive: true, force: true, maxRetries: 5 });
  }
  const directory = resolve(parent, `${prefix}${process.pid}`);
  await rm(directory, { recursive: true, force: true });
  return { directory, release: await lockDirectory(directory) };
}
