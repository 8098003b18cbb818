import { expect, test } from "vitest";
import { BackOff } from "./back-off.ts";

test("the delay grows with each death, and is short again after a thread was ready for 30 s", () => {
  const backOff = new BackOff();
  for (let death = 0; death < 8; death++) backOff.nextDelayMs(29_999);
  expect(backOff.nextDelayMs(29_999)).toBeGreaterThanOrEqual(5000);
  expect(backOff.nextDelayMs(30_000)).toBeLessThanOrEqual(100);
  expect(backOff.nextDelayMs(0)).toBeLessThanOrEqual(200);
});
