import { expect, test } from "vitest";
import { bestSetting, choiceOf } from "./best-setting.ts";
import { sampleResult } from "./sweep.fixture.ts";

const limits = { withinP99Ms: 50, within: 0.1 };
const chosenOf = (figures: Parameters<typeof sampleResult>[0]) =>
  bestSetting(sampleResult(figures), limits)?.chosen.point[0];

test("the best setting has the highest median throughput among those within the limit", () => {
  const figures = [
    [
      [5000, 10],
      [5200, 11],
      [5100, 90],
    ],
    [
      [8000, 40],
      [8200, 49],
      [3000, 30],
    ],
    [
      [12_000, 70],
      [12_500, 75],
      [12_700, 20],
    ],
  ] as const;
  expect(chosenOf(figures)).toBe("64");
});

test.each([
  [9200, 10_000],
  [9700, 9800],
  [10_000, 9600],
])("of settings within the noise of each other the smallest is chosen: %i and %i a second", (first, second) => {
  expect(chosenOf([[[first, 20]], [[second, 30]], [[20_000, 90]]])).toBe("32");
});

test("a setting that is slower than the noise is not chosen, however small", () => {
  expect(chosenOf([[[8900, 20]], [[10_000, 30]], [[9500, 40]]])).toBe("64");
});

test("a setting that lost events is not chosen", () => {
  const result = sampleResult([[[9900, 20]], [[10_000, 30]], [[9500, 40]]]);
  const settings = result.settings.map((one) => ({ ...one, isGood: one.point[0] !== "32" }));
  expect(bestSetting({ ...result, settings }, limits)?.chosen.point).toEqual(["64"]);
});

test("the choice names its figures and its rule, or the lowest p99 when none is within the limit", () => {
  const result = sampleResult([[[9900, 20]], [[10_000, 30]], [[12_000, 80]]]);
  expect(choiceOf(result, limits)).toBe(
    `best within p99 50 ms: connections 32 (ranked /s 9900, p99 20.0 ms)
rule: of the settings whose median p99 is at most 50 ms, the smallest connections with at least 90 % of the highest median throughput, that of connections 64 (ranked /s 10000, p99 30.0 ms)`,
  );
  expect(choiceOf(result, { ...limits, withinP99Ms: 5 })).toBe(
    "no setting that lost nothing has a median p99 of at most 5 ms; the lowest is that of connections 32 (ranked /s 9900, p99 20.0 ms)",
  );
});
