import { expect, test } from "vitest";
import { SettledEpochs } from "./settled-epochs.ts";

test.each([1, 2, 5, 30])("epochs that are closed every %i s are settled after 3 to 7 s", (every) => {
  const settled = new SettledEpochs();
  for (let second = 0; second < 100; second++) {
    const closedAt = (ago: number) => Math.max(0, Math.floor((second - ago) / every));
    settled.see(closedAt(0), second * 1000);
    expect(settled.to).toBeLessThanOrEqual(closedAt(3));
    expect(settled.to).toBeGreaterThanOrEqual(closedAt(7));
  }
});

test("epochs that a restored database has no more are not settled", () => {
  const settled = new SettledEpochs();
  for (let second = 0; second < 10; second++) settled.see(8, second * 1000);
  expect(settled.to).toBe(8);
  settled.see(5, 10_000);
  expect(settled.to).toBe(5);
});
