import { expect, test } from "vitest";
import { ratios } from "./ratios.ts";
import { sampleReport } from "./report.fixture.ts";

test("ratios list every condition in which the two runs differ, unless the older report lacks it", () => {
  const ours = sampleReport();
  expect(ratios(ours, ours)).not.toContain("different");
  const { seed: _seed, ...older } = sampleReport({ domain: "albums", connections: 512, asked: { seconds: 30 } });
  const lines = ratios(ours, JSON.parse(JSON.stringify(older))).split("\n");
  expect(lines.filter((line) => line.startsWith("different"))).toEqual([
    'different domain: "purchases" here, "albums" there',
    'different asked: {"amount":100} here, {"seconds":30} there',
    "different connections: 10 here, 512 there",
  ]);
});

test("settings are a condition", () => {
  const ours = sampleReport();
  expect(ratios(ours, { ...ours, settings: { BATCH_EVERY_MS: "0" } })).toContain(
    'different settings: {} here, {"BATCH_EVERY_MS":"0"} there',
  );
});
