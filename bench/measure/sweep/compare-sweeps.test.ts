import { expect, test } from "vitest";
import { checkComparable, slowerSettings, sweepRatios } from "./compare-sweeps.ts";
import { connections, sampleResult, sampleSweep } from "./sweep.fixture.ts";

const before = sampleResult([[[100, 10]], [[200, 20]], [[300, 30]]]);

test("a setting fails when its median throughput is below the share of the earlier sweep", () => {
  const now = sampleResult([
    [
      [95, 10],
      [91, 10],
      [10, 10],
    ],
    [[170, 20]],
    [[300, 30]],
  ]);
  expect(slowerSettings(now, before, 0.9)).toEqual(["connections 64: ranked /s 0.85, below 0.9"]);
  expect(slowerSettings(now, before, 0.85)).toEqual([]);
});

test("only settings in common are compared, and an unknown throughput fails", () => {
  const now = sampleResult([[[50, 10]], []], sampleSweep([{ ...connections, values: ["16", "64"] }]));
  expect(slowerSettings(now, before, 0.9)).toEqual(["connections 64: ranked /s unknown, below 0.9"]);
});

test("ratios of both sweeps are listed with the conditions that differ", () => {
  const now = sampleResult([[[110, 5]], [[200, 20]], [[300, 60]]]);
  const lines = sweepRatios({ ...now, conditions: { ...now.conditions, design: "classic" } }, before).split("\n");
  expect(lines[0]).toBe("compared with the sweep of 2026-11-22T10:00:00.000Z, commit abc1234");
  expect(lines[1]).toBe('different design: "classic" here, "batched" there');
  expect(lines[2]).toMatch(/^connections 32: ranked \/s 1\.10, p99 ms 0\.50, CPU µs\/event [\d.]+$/);
  expect(lines).toHaveLength(5);
});

test.each([
  [
    [{ name: "shards", variable: "RANKING_SHARDS", values: ["1", "4"] }],
    "expected a sweep over shards, got one over connections",
  ],
  [[{ ...connections, values: ["1", "2"] }], "the two sweeps have no setting in common"],
])("sweeps that cannot be compared are rejected: %j", (dimensions, message) => {
  const points = dimensions[0]?.values.map((value) => [value]) ?? [];
  expect(() => checkComparable({ dimensions, points }, before)).toThrow(message);
  expect(() => checkComparable({ dimensions: [connections], points: [["32"]] }, before)).not.toThrow();
});
