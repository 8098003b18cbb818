import { expect, test, vi } from "vitest";
import { here, isInClone, openRelease } from "./release.ts";
import { keepSending } from "./kit/sales.ts";
import { cellsOfBoards, cellsOfRows, openDatabase, openRedis, startSystem } from "./kit/system.ts";
import { expectAllKept, runTally } from "./kit/tally.ts";

// The last commit with the first layout of the rankings.
const earlier = "774fa953dfc62b3e4856b74fc4ea71e9a386d7e2";

// A shallow clone does not have the commit.
test.skipIf(!isInClone(earlier))(
  "app by app, a system moves from the first layout of the rankings to this one under load",
  async () => {
    const release = await openRelease(earlier);
    const system = await startSystem({}, { root: release.folder, instances: { gateway: 2, ranker: 2 } });
    const redis = openRedis(system);
    const clients = keepSending(system.urls, 8);
    const more = async (sales: number) => {
      const before = clients.count;
      await vi.waitFor(() => expect(clients.count).toBeGreaterThan(before + sales), 30_000);
    };
    const best = async (url: string): Promise<number> => {
      const text = await (await fetch(`${url}/items/store/1`)).text();
      return Number(/"numberOfItems":(\d+)/.exec(text)?.[1] ?? 0);
    };
    const restart = async (name: string) => {
      await system.server(name).stop();
      await system.server(name).start();
      await more(100);
      expect(await Promise.all(system.urls.map(best)), `after the new ${name}`).not.toContain(0);
    };
    await vi.waitFor(async () => expect(await best(system.url)).toBeGreaterThan(50), 30_000);

    await release.become(here);
    await system.migrate();
    await restart("ranker-2");
    const generation = () => redis.get(`${system.namespace}:{purchases:0:v2}:generation`);
    await vi.waitFor(async () => expect(await generation()).not.toBeNull(), 30_000);
    for (const name of ["gateway-1", "gateway-2", "ranker-1", "writer"]) await restart(name);

    const { ids } = await clients.stop();
    await expectAllKept(system, [...ids.values()]);
    const keysOfFirst = () => redis.keys(`${system.namespace}:{purchases:0}:*`);
    expect(await keysOfFirst()).not.toEqual([]);
    const { output } = await runTally(system, ["rebuild", "--delete-earlier-layout"]);
    expect(output).toMatch(/purchases: deleted [1-9]\d* keys of the earlier layout/);
    expect(await keysOfFirst()).toEqual([]);
    await expectAllKept(system, [...ids.values()]);
    const database = openDatabase(system);
    expect(await cellsOfBoards(system)).toEqual(await cellsOfRows(database));
    expect(await database.writer.query("SELECT id FROM dead_letters")).toEqual([]);
  },
  300_000,
);
