import { withBuilds } from "@tally/bench/builds";
import { spawnSync } from "node:child_process";
import { rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "./kit/programs.ts";
import { keepSending } from "./kit/sales.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

// The state before the packages were merged. Newer apps must run beside it, and it beside them.
const earlier = "14823237f378bd102577125d6df9872bc4e17091";
// A shallow clone may lack it.
const isInClone = spawnSync("git", ["cat-file", "-e", earlier], { cwd: root }).status === 0;

/** A folder whose apps are those of a checkout, until it becomes another one: as a deployment replaces a release. */
async function openRelease(checkout: string) {
  const folder = join(root, ".tally", `release-${process.pid}`);
  const become = async (other: string) => {
    await symlink(other, `${folder}.new`);
    await rename(`${folder}.new`, folder);
  };
  await become(checkout);
  onTestFinished(() => rm(folder, { force: true }));
  return { folder, become };
}

/** Moves a system app by app from a checkout to this one under load, and back again. */
async function moveAndBack(checkout: string): Promise<void> {
  const release = await openRelease(checkout);
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

  await release.become(checkout);
  await replace(...apps.toReversed());

  const { ids } = await clients.stop();
  await expectAllKept({ ...system, root }, [...ids.values()]);
  const database = openDatabase(system);
  expect(await database.writer.query("SELECT id FROM dead_letters")).toEqual([]);
}

test.skipIf(!isInClone)(
  "app by app, a system moves to this release under load and back again, and loses and doubles nothing",
  async ({ signal }) => {
    const plan = { root, say: () => undefined, signal, name: "earlier" };
    await withBuilds([earlier], plan, (builds) => moveAndBack(builds.get(earlier)?.folder ?? expect.fail()));
  },
  // Minutes on a busy machine: it builds the earlier release too.
  900_000,
);
