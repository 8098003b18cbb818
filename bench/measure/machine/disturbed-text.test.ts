import { expect, test } from "vitest";
import { comparison, contenderNamed } from "../compare-designs.ts";
import { ratios } from "../ratios.ts";
import { sampleReport } from "../report.fixture.ts";
import { textOf } from "../text-of.ts";
import type { Disturbance } from "./disturbance.ts";

const quiet: Disturbance = {
  foreign: { percent: 1.5, cpuSeconds: 0.9, largest: [] },
  steal: { percent: 0.1, cpuSeconds: 0.06 },
  calibration: { beforeNs: 4, afterNs: 3.9, meanNs: 3.95, changePercent: -2.5 },
  isDisturbed: false,
};
const busy: Disturbance = {
  ...quiet,
  foreign: { percent: 50.5, cpuSeconds: 30.3, largest: [{ name: "tsc", cpuSeconds: 29 }] },
  calibration: { beforeNs: 4, afterNs: 8, meanNs: 6, changePercent: 100 },
  isDisturbed: true,
};
const alone = sampleReport({ disturbance: quiet });
const disturbed = sampleReport({ disturbance: busy });
const { disturbance: _none, ...older } = alone;

const why = "* disturbed: other processes and the hypervisor took more than 5 % of the machine's CPU time";
const what = "foreign CPU 50.5 % (tsc 29 s), steal 0.1 %";

test("every report says what else the machine did, and warns when that disturbed the run", () => {
  expect(textOf(alone)).toMatch(/^machine +foreign CPU 1\.5 %, steal 0\.1 %$/m);
  expect(textOf(alone)).toMatch(/^calibration +4 ns a step before, 3\.9 ns after \(-2\.5 %\)$/m);
  expect(textOf(alone)).not.toContain("disturbed");
  expect(textOf(disturbed)).toMatch(/^calibration +4 ns a step before, 8 ns after \(\+100 %\)$/m);
  expect(textOf(disturbed)).toContain(`\nThe run was disturbed: ${what}.`);
  const unknown = { ...quiet, foreign: null, steal: null, isDisturbed: null };
  expect(textOf(sampleReport({ disturbance: unknown }))).toContain("foreign CPU unknown, steal unknown");
});

test("a comparison of designs marks disturbed runs and explains the mark", () => {
  const contenders = ["batched", "bare", "per-message"].map(contenderNamed);
  const text = (report: typeof alone) =>
    comparison(contenders, [
      { contender: "batched", report: alone },
      { contender: "bare", report },
      { contender: "per-message", report: alone },
    ]);
  expect(text(alone)).not.toContain("*");
  expect(text(older)).not.toContain("*");
  const lines = text(disturbed).split("\n");
  expect(lines[0]).toMatch(/^median of +batched +bare \* +per-message$/);
  const pairs = lines.filter((line) => line.includes(" / "));
  expect(pairs.length).toBeGreaterThan(10);
  for (const line of pairs) expect([line, line.endsWith(" *")]).toEqual([line, line.includes("/ bare")]);
  expect(lines.slice(-2)).toEqual([why, `  bare, run 2: ${what}`]);
});

test("ratios to a stored report are marked where one of the two was disturbed", () => {
  expect(ratios(alone, alone)).not.toContain("*");
  expect(ratios(alone, older)).not.toContain("*");
  for (const [text, where] of [
    [ratios(disturbed, older), "here"],
    [ratios(alone, disturbed), "there"],
  ] as const) {
    expect(text).toMatch(/^p99 ms +99\S* +99\S* {2}1\.000 \*$/m);
    expect(text.split("\n").slice(-2)).toEqual([why, `  ${where}: ${what}`]);
  }
});
