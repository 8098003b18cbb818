import { expect, test } from "vitest";
import { backOff, backOffMs } from "./back-off.ts";

test.each([
  ["conflict", 1, 5],
  ["conflict", 100, 500],
  ["unavailable", 1, 50],
  ["unavailable", 2, 100],
  ["unavailable", 7, 2000],
  ["unexpected", 1, 500],
  ["unexpected", 5000, 10_000],
  ["thread", 8, 10_000],
] as const)("%s: failure %i waits at most %i ms and at least half of it", (failureClass, failures, mostMs) => {
  for (let round = 0; round < 100; round++) {
    const delayMs = backOffMs(failures, failureClass);
    expect(delayMs).toBeGreaterThanOrEqual(mostMs / 2);
    expect(delayMs).toBeLessThanOrEqual(mostMs);
  }
});

test("an error waits as its class says, and one without a class as an unexpected one", async () => {
  const waitedMs = async (error: unknown): Promise<number> => {
    const startedAt = performance.now();
    await backOff(1, error);
    return performance.now() - startedAt;
  };
  expect(await waitedMs(Object.assign(new Error("deadlock"), { failureClass: "conflict" }))).toBeLessThan(200);
  expect(await waitedMs(new Error("a defect"))).toBeGreaterThan(240);
});
