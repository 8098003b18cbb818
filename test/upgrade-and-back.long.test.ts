import { expect, test, vi } from "vitest";
import { checkedOut, here, isInClone, openRelease } from "./release.ts";
import { keepSending } from "./kit/sales.ts";
import { cellsOfBoards, cellsOfRows, openDatabase, startSystem } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

// The state before several replicas, DOMAINS and Redis Cluster. Newer ones must run beside it, and it beside them.
const earlier = "1d5a220f4893424d5e82795293f3184d510e54a0";

test.skipIf(!isInClone(earlier))(
  "app by app, a system moves to this release under load and back again, and loses and doubles nothing",
  async () => {
    const release = await openRelease(earlier);
    const system = await startSystem({}, { root: release.folder, instances: { gateway: 2, writer: 2, ranker: 2 } });
    const clients = keepSending(system.urls, 8);
    const more = async () => {
      const before = clients.count;
      await vi.waitFor(() => expect(clients.count).toBeGreaterThan(before + 200), 60_000);
    };
    const replace = async (...names: readonly string[]) => {
      for (const name of names) {
        await system.server(name).stop();
        await system.server(name).start();
        await more();
      }
    };
    const apps = ["ranker-1", "ranker-2", "writer-1", "writer-2", "gateway-1", "gateway-2"];
    await more();

    await release.become(here);
    await system.migrate();
    await replace(...apps);

    await release.become(checkedOut(earlier));
    await replace(...apps.toReversed());

    const { ids } = await clients.stop();
    await expectAllKept({ ...system, root: here }, [...ids.values()]);
    const database = openDatabase(system);
    expect(await cellsOfBoards(system)).toEqual(await cellsOfRows(database));
    expect(await database.writer.query("SELECT id FROM dead_letters")).toEqual([]);
  },
  300_000,
);
