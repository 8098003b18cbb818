import { expect, test } from "vitest";
import { nameOf, printedSources } from "../results/printed-sources.ts";
import { asItIs } from "../results/printed-rows.ts";
import { plannedRuns, type PlannedRun } from "./run-source.ts";

const sources = printedSources.filter(({ name }) => name === "S1" || name === "S3");
const shown = ({ source, task, share }: PlannedRun) =>
  `${source.name}, ${task.load.description}, ${nameOf(task.arrangement)}, ${share}`;
const tally = "batched, confirmed, 1 gateway";

test("tally as it is comes first, and again with the share of the others", () => {
  const runs = plannedRuns(sources, { scale: 1, scaleOfOthers: 0.1 });
  const ofTally = sources.flatMap(({ name, loads }) =>
    loads.filter(({ isExtra }) => isExtra !== true).map(({ description }) => `${name}, ${description}, ${tally}`),
  );
  expect(runs.slice(0, ofTally.length).map(shown)).toEqual(ofTally.map((name) => `${name}, 1`));
  const again = runs.slice(ofTally.length, 2 * ofTally.length);
  expect(again.map(shown)).toEqual(ofTally.map((name) => `${name}, 0.1`));
  const others = runs.slice(2 * ofTally.length);
  expect(others.map(shown)).toContain("S1, 32 threads, balanced, confirmed, 2 gateways, 0.1");
  expect(others.map(shown)).toContain("S3, 256 threads, synchronous, 1 gateway, 0.1");
  for (const { task, share } of others) expect([task.arrangement === asItIs, share]).toEqual([false, 0.1]);
});

test("every arrangement runs once where all have one share, and only those of the named designs", () => {
  const runs = plannedRuns(sources, { scale: 0.5, scaleOfOthers: 0.5 }).map(shown);
  expect(new Set(runs).size).toBe(runs.length);
  const synchronous = plannedRuns(sources, { scale: 1, scaleOfOthers: 0.1, designs: ["synchronous"] });
  expect(synchronous.map(shown)).toEqual(["S3, 256 threads, synchronous, 1 gateway, 0.1"]);
});
