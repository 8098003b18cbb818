import { expect, onTestFinished, test, vi } from "vitest";
import { startSystem } from "./start-system.ts";

/** Sells one after the other, and so in batches of one. Answers in how many transactions they were stored, when all are. */
async function transactionsOf(settings: NodeJS.ProcessEnv, purchases: number, storedWithinMs: number): Promise<number> {
  const system = await startSystem({ WRITER_THREADS: "1", ...settings });
  onTestFinished(() => system.stop());
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
  const storedAll = async (): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${system.writer.port}/metrics`)).text();
    const figure = (name: string): number =>
      Number(new RegExp(`^tally_writer_${name}\\{.*purchases.*\\} (\\d+)$`, "m").exec(metrics)?.[1]);
    expect(figure("events_total")).toBe(purchases);
    return figure("transaction_seconds_count");
  };
  return vi.waitFor(storedAll, storedWithinMs);
}

test("batches that come one after the other are stored together", async () => {
  // With one transaction for each it would be 40; twenty seconds for forty sales is a machine that stands still.
  expect(
    await transactionsOf({ WRITER_TRANSACTION_EVERY_MS: "1000", WRITER_PREFETCH: "100" }, 40, 25_000),
  ).toBeLessThan(20);
}, 120_000);

// Each transaction that waits for others takes a second: these would take twenty.
test.each([
  ["a transaction that is full waits for nothing", { WRITER_EVENTS_PER_TRANSACTION: "10", WRITER_PREFETCH: "100" }],
  ["nor does one for which half of the prefetch waits", { WRITER_PREFETCH: "20" }],
])(
  "%s",
  async (_name, settings) => {
    await transactionsOf({ WRITER_TRANSACTION_EVERY_MS: "1000", ...settings }, 400, 10_000);
  },
  120_000,
);
