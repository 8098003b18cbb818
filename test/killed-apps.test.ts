import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { cellsOfBoards, cellsOfRows, openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

/*
 * Clients that behave as a till does: a key for each sale, and the sale is sent until it is acknowledged. Some are sent
 * again although they were.
 */
async function sellUntil(stop: AbortSignal, till: number, acknowledged: Map<string, string>): Promise<void> {
  for (let n = 0; !stop.aborted; n++) {
    const key = `till-${till}/${n}`;
    const id = await sendUntilAcknowledged(till, n, key);
    if (n % 17 === 0) expect(await sendUntilAcknowledged(till, n, key)).toBe(id);
    acknowledged.set(id, key);
  }
}

async function sendUntilAcknowledged(till: number, n: number, key: string): Promise<string> {
  const url = `${system.url}/purchase/${till % 7}/customer/${till}/date/20261120`;
  const lines = [1, 2, 3].map((i) => ({ ItemID: (n * i) % 50, numberOfItems: 1 + (n % 3) }));
  for (;;) {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ items: lines }),
      });
      await response.arrayBuffer();
      if (response.status === 201) return response.headers.get("tally-event-id") ?? "";
    } catch {
      await delay(20); // the gateway is being started again
    }
  }
}

test("SIGKILL of gateway, writer and ranker in the middle of load loses nothing and counts nothing twice", async () => {
  const acknowledged = new Map<string, string>();
  const stop = new AbortController();
  const tills = Array.from({ length: 24 }, (_, till) => sellUntil(stop.signal, till, acknowledged));
  for (const victim of [system.writer, system.ranker, system.writer, system.gateway, system.writer, system.ranker]) {
    const before = acknowledged.size;
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + 300), { timeout: 30_000 });
    victim.kill("SIGKILL");
    await victim.start();
  }
  stop.abort();
  await Promise.all(tills);

  const database = openDatabase(system);
  try {
    await vi.waitFor(
      async () => {
        const [{ purchases } = { purchases: 0 }] = await database.writer.query<{ purchases: number }>(
          "SELECT COUNT(*) AS purchases FROM purchases",
        );
        expect(purchases).toBe(acknowledged.size);
      },
      { timeout: 30_000, interval: 200 },
    );
    const rows = await database.writer.query<{ id: Buffer }>("SELECT id FROM purchases");
    const stored = new Set(rows.map(({ id }) => id.toString("hex")));
    const lost = [...acknowledged.keys()].filter((id) => !stored.has(id.replaceAll("-", "")));
    expect(lost).toEqual([]);
    const expected = await cellsOfRows(database);
    expect(expected.length).toBeGreaterThan(100);
    await vi.waitFor(async () => expect(await cellsOfBoards(system)).toEqual(expected), {
      timeout: 30_000,
      interval: 200,
    });
  } finally {
    await database.close();
  }
}, 180_000);
