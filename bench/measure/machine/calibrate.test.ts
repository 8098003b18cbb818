import { expect, test } from "vitest";
import { calibrate } from "./calibrate.ts";

test("the calibration loop is not optimised away", () => {
  // No core does a multiplication and two accesses to memory, one after the other, in a cycle of 5 GHz.
  expect(calibrate()).toBeGreaterThan(0.2);
});
