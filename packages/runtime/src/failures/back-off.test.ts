import { expect, test } from "vitest";
import { backOffMs } from "./back-off.ts";

test.each([
  [1, 100],
  [2, 200],
  [7, 6400],
  [8, 10_000],
  [5000, 10_000],
])("failure %i waits at most %i ms and at least half of it", (failures, mostMs) => {
  for (let round = 0; round < 100; round++) {
    const delayMs = backOffMs(failures, { firstMs: 100, longestMs: 10_000 });
    expect(delayMs).toBeGreaterThanOrEqual(mostMs / 2);
    expect(delayMs).toBeLessThanOrEqual(mostMs);
  }
});
