import { expect, test } from "vitest";
import { zipf } from "./zipf.ts";

test("the nth comes 1/n as often as the first, and none outside of the range", () => {
  const draw = zipf(1000);
  const rounds = 200_000;
  const counts = new Float64Array(1002);
  for (let i = 0; i < rounds; i++)
    counts[draw(() => (i + 0.5) / rounds)] = (counts[draw(() => (i + 0.5) / rounds)] ?? 0) + 1;
  const first = counts[1] ?? 0;
  for (const n of [2, 3, 10, 100, 1000]) expect((counts[n] ?? 0) / first).toBeCloseTo(1 / n, 2);
  expect([counts[0], counts[1001], counts.reduce((a, b) => a + b)]).toEqual([0, 0, rounds]);
});
