import { expect, test } from "vitest";
import { BackOff } from "./back-off.ts";

test("the delay doubles from 100 ms to 10 s, less up to a half", () => {
  const backOff = new BackOff();
  for (const full of [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]) {
    const delay = backOff.nextDelayMs(29_999);
    expect(delay).toBeGreaterThanOrEqual(full / 2);
    expect(delay).toBeLessThanOrEqual(full);
  }
});

test("it begins anew once a thread was ready for 30 s", () => {
  const backOff = new BackOff();
  for (let failure = 0; failure < 8; failure++) backOff.nextDelayMs(0);
  expect(backOff.nextDelayMs(30_000)).toBeLessThanOrEqual(100);
  expect(backOff.nextDelayMs(0)).toBeLessThanOrEqual(200);
});
