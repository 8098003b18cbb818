import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "./kit/programs.ts";
import { keepSending } from "./kit/sales.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

// The state before the packages were merged. Newer apps must run beside it, and it beside them.
const earlier = "14823237f378bd102577125d6df9872bc4e17091";

test.skipIf(!isInClone(earlier))(
  "app by app, a system moves to this release under load and back again, and loses and doubles nothing",
  async () => {
    const release = await openRelease(earlier);
    const system = await startSystem({}, { root: release.folder, instances: { gateway: 2, writer: 2, ranker: 2 } });
    const clients = keepSending(system.urls, 8);
    const replace = async (...names: readonly string[]) => {
      for (const name of names) {
        await system.server(name).stop();
        await system.server(name).start();
        await clients.more();
      }
    };
    const apps = ["ranker-1", "ranker-2", "writer-1", "writer-2", "gateway-1", "gateway-2"];
    await clients.more();

    await release.become(root);
    await system.migrate();
    await replace(...apps);

    await release.become(checkedOut(earlier));
    await replace(...apps.toReversed());

    const { ids } = await clients.stop();
    await expectAllKept({ ...system, root }, [...ids.values()]);
    const database = openDatabase(system);
    expect(await database.writer.query("SELECT id FROM dead_letters")).toEqual([]);
  },
  300_000,
);

function git(...args: readonly string[]): void {
  execFileSync("git", args, { cwd: root, stdio: "pipe" });
}

/** False in a shallow clone without the commit. */
function isInClone(commit: string): boolean {
  try {
    git("cat-file", "-e", commit);
    return true;
  } catch {
    return false;
  }
}

/** Checks a commit out and installs it, once for all runs. Returns its folder. */
function checkedOut(commit: string): string {
  const folder = join(root, ".tally", "builds", commit);
  if (!existsSync(join(folder, ".git"))) git("worktree", "add", "--force", "--detach", folder, commit);
  execFileSync("npx", ["-y", "pnpm@12", "install", "--frozen-lockfile", "--prefer-offline"], {
    cwd: folder,
    env: { ...process.env, CI: "true" },
    stdio: "pipe",
  });
  return folder;
}

/** A folder whose apps are those of a commit, until it becomes another checkout: as a deployment replaces a release. */
async function openRelease(commit: string) {
  const folder = join(root, ".tally", `release-${process.pid}`);
  const become = async (checkout: string) => {
    await symlink(checkout, `${folder}.new`);
    await rename(`${folder}.new`, folder);
  };
  await become(checkedOut(commit));
  onTestFinished(() => rm(folder, { force: true }));
  return { folder, become };
}
