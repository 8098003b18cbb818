import { afterAll, expect, test, vi } from "vitest";
import { auditOf } from "./audit-of.ts";
import { keepSending } from "./keep-sending.ts";
import { cellsOfBoards, cellsOfRows, openDatabase } from "./rankings-equal-rows.ts";
import { startSystem } from "./start-system.ts";

const system = await startSystem();
afterAll(() => system.stop());

test("SIGKILL of gateway, writer and ranker under load loses nothing and counts nothing twice", async () => {
  const clients = keepSending(system.urls, 24);
  for (const victim of [system.writer, system.ranker, system.writer, system.gateway, system.writer, system.ranker]) {
    const before = clients.count;
    await vi.waitFor(() => expect(clients.count).toBeGreaterThan(before + 300), 30_000);
    victim.kill("SIGKILL");
    await victim.start();
  }
  const { ids } = await clients.stop();
  expect(await auditOf(system, [...ids.values()])).toMatchObject({
    agrees: true,
    audit: { acknowledged: ids.size, stored: ids.size, ranked: ids.size, lost: 0, doubled: 0, unacknowledged: 0 },
  });
  const database = openDatabase(system);
  try {
    const expected = await cellsOfRows(database);
    expect(expected.length).toBeGreaterThan(100);
    expect(await cellsOfBoards(system)).toEqual(expected);
  } finally {
    await database.close();
  }
}, 180_000);
