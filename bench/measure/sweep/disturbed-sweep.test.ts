import { expect, test } from "vitest";
import type { Disturbance } from "../machine/disturbance.ts";
import { choiceOf } from "./best-setting.ts";
import { slowerSettings, sweepRatios } from "./compare-sweeps.ts";
import { pointsOf } from "./dimensions.ts";
import { resultOf } from "./sweep-result.ts";
import { tableOf } from "./sweep-table.ts";
import { sampleRun, sampleSweep } from "./sweep.fixture.ts";

const busy: Disturbance = {
  foreign: { percent: 20, cpuSeconds: 2, largest: [] },
  steal: { percent: 0, cpuSeconds: 0 },
  calibration: { beforeNs: 4, afterNs: 4, meanNs: 4, changePercent: 0 },
  isDisturbed: true,
};

test("a sweep marks the settings with disturbed runs, in its table and in ratios to another sweep", () => {
  const sweep = sampleSweep();
  const points = pointsOf(sweep.dimensions);
  const resultWith = (disturbance: Disturbance | undefined) =>
    resultOf(
      sweep,
      points,
      points.flatMap((point, index) =>
        [0, 1].map((round) => {
          const report = sampleRun(1000, 10);
          return { point, round, report: disturbance && index + round === 2 ? { ...report, disturbance } : report };
        }),
      ),
    );
  const [quiet, disturbed] = [resultWith(undefined), resultWith(busy)];
  expect(tableOf(quiet)).not.toContain("*");
  expect(sweepRatios(quiet, quiet)).not.toContain("*");
  const lines = tableOf(disturbed).split("\n");
  // The second round of 64 connections, and the first of 128.
  expect(lines.flatMap((line, row) => (line.endsWith("* disturbed in 1 of 2 runs") ? [row] : []))).toEqual([2, 3]);
  expect(lines.at(-1)).toMatch(/^ {2}\S.*128, round 1: foreign CPU 20 %, steal 0 %$/);
  const ratios = sweepRatios(quiet, disturbed).split("\n");
  expect(ratios.filter((line) => line.endsWith(" *"))).toHaveLength(2);
  expect(ratios.at(-1)).toMatch(/^\* disturbed: /);
  expect(slowerSettings(quiet, disturbed, 2).map((line) => line.endsWith(" *"))).toEqual([false, true, true]);
  const limits = { withinP99Ms: 50, within: 0.1 };
  expect(choiceOf(quiet, limits)).not.toContain("*");
  const settings = disturbed.settings.slice(1);
  expect(choiceOf({ ...disturbed, settings }, limits)).toContain("connections 64 (ranked /s 1000, p99 10.0 ms) *\n");
});
