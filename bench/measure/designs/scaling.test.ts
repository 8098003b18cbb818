import { expect, test } from "vitest";
import { gatewaysAfter } from "./scaling.ts";

test.each([
  // running, cores, then
  [1, 0.39, 1],
  [1, 0.41, 2],
  [2, 0.79, 2],
  [2, 0.81, 3],
  [4, 4, 4],
  [3, 0.61, 3],
  [3, 0.59, 2],
  [1, 0, 1],
])("%i gateways that use %d cores become %i of at most 4", (running, cores, then) => {
  expect(gatewaysAfter(running, cores, 4)).toBe(then);
});
