import { expect, onTestFinished, test, vi } from "vitest";
import { sold } from "./sell.ts";
import { startSystem } from "./start-system.ts";

/** Sells one by one, so in batches of one. Returns the number of transactions when all are stored. */
async function transactionsOf(settings: NodeJS.ProcessEnv, purchases: number, storedWithinMs: number): Promise<number> {
  const system = await startSystem({ WRITER_THREADS: "1", ...settings });
  onTestFinished(() => system.stop());
  for (let customer = 1; customer <= purchases; customer++) await sold(system.url, 1, { customer });
  const storedAll = async (): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${system.writer.port}/metrics`)).text();
    const figure = (name: string): number =>
      Number(new RegExp(`^tally_writer_${name}\\{.*purchases.*\\} (\\d+)$`, "m").exec(metrics)?.[1]);
    expect(figure("events_total")).toBe(purchases);
    return figure("transaction_seconds_count");
  };
  return vi.waitFor(storedAll, storedWithinMs);
}

test("batches that arrive one after the other share transactions", async () => {
  // One transaction for each would be 40.
  expect(
    await transactionsOf({ WRITER_TRANSACTION_EVERY_MS: "1000", WRITER_PREFETCH: "100" }, 40, 25_000),
  ).toBeLessThan(20);
}, 120_000);

// Each transaction that waits takes a second: these would take twenty.
test.each([
  ["a full transaction does not wait", { WRITER_EVENTS_PER_TRANSACTION: "10", WRITER_PREFETCH: "100" }],
  ["a transaction does not wait when half of the prefetch is waiting", { WRITER_PREFETCH: "20" }],
])(
  "%s",
  async (_name, settings) => {
    await transactionsOf({ WRITER_TRANSACTION_EVERY_MS: "1000", ...settings }, 400, 10_000);
  },
  120_000,
);
