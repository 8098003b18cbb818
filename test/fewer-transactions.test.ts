import { expect, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem } from "./start-system.ts";

/** Sells one after the other, and so in batches of one; resolves when all are stored. */
async function transactionsOf(settings: NodeJS.ProcessEnv, purchases: number): Promise<number> {
  const system = await startSystem({ WRITER_THREADS: "1", ...settings });
  onTestFinished(() => system.stop());
  const database = openDatabase(system);
  onTestFinished(() => database.close());
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ items: [{ ItemID: "1", numberOfItems: 1 }] });
  for (let custID = 1; custID <= purchases; custID++) {
    const answer = await fetch(`${system.url}/purchase/1/customer/${custID}/date/20260101`, {
      method: "POST",
      headers,
      body,
    });
    await answer.arrayBuffer();
    expect(answer.status).toBe(201);
  }
  await vi.waitFor(async () => {
    const [row] = await database.writer.query<{ n: number }>("SELECT COUNT(*) AS n FROM purchases");
    expect(row?.n).toBe(purchases);
  }, 25_000);
  const metrics = await (await fetch(`http://127.0.0.1:${system.writer.port}/metrics`)).text();
  const [, count] = /^tally_writer_transaction_seconds_count\{.*purchases.*\} (\d+)$/m.exec(metrics) ?? [];
  return Number(count);
}

test("batches that come one after the other are stored together", async () => {
  // With one transaction for each it would be 40; twenty seconds for forty sales is a machine that stands still.
  expect(await transactionsOf({ WRITER_TRANSACTION_EVERY_MS: "1000" }, 40)).toBeLessThan(20);
}, 120_000);

test("a transaction that is full waits for nothing", async () => {
  // The first goes at once; of the others ten make one full. Each would wait for ten seconds.
  const settings = { WRITER_TRANSACTION_EVERY_MS: "10000", WRITER_EVENTS_PER_TRANSACTION: "10" };
  expect(await transactionsOf(settings, 101)).toBeGreaterThanOrEqual(11);
}, 120_000);
