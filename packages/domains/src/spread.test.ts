import { expect, test } from "vitest";
import { spreadOver } from "./workload.ts";

test("zipf draws the nth number 1/n as often as the first, and none out of range", () => {
  const { zipf } = spreadOver(1000, 1);
  const rounds = 200_000;
  const counts = new Float64Array(1002);
  for (let i = 0; i < rounds; i++) {
    const n = zipf(() => (i + 0.5) / rounds);
    counts[n] = (counts[n] ?? 0) + 1;
  }
  const first = counts[1] ?? 0;
  for (const n of [2, 3, 10, 100, 1000]) expect((counts[n] ?? 0) / first).toBeCloseTo(1 / n, 2);
  expect([counts[0], counts[1001], counts.reduce((a, b) => a + b)]).toEqual([0, 0, rounds]);
});
