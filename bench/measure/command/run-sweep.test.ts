import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { commitOf } from "../commit-of.ts";
import { pointsOf } from "../sweep/dimensions.ts";
import { makeSweepFolder, readSweep, storeTurn } from "../sweep/sweep-folder.ts";
import { sampleRun, sampleSweep } from "../sweep/sweep.fixture.ts";
import { askedOf } from "./asked.ts";
import { root } from "./flags.ts";
import { runSweep } from "./run-sweep.ts";
import { withSweepFlags, type SweepFlags } from "./sweep-flags.ts";

/** The folder of a sweep of two rounds, with the runs of three: no run is missing when it goes on. */
async function sweepFolder(): Promise<string> {
  const results = await mkdtemp(join(tmpdir(), "tally-sweep-"));
  onTestFinished(() => rm(results, { recursive: true, force: true }));
  const sample = sampleSweep([{ name: "connections", values: ["4", "8"] }]);
  const flags = { ...sample.flags, withinP99: 50, within: 0.5 };
  const sweep = { ...sample, commit: commitOf(root), flags };
  const folder = await makeSweepFolder(results, sweep);
  for (const point of pointsOf(sweep.dimensions))
    for (const round of [0, 1, 2])
      await storeTurn(folder, sweep, { round, point }, { ...sampleRun(100, 9), connections: Number(point[0]) });
  return folder;
}

function resume(folder: string, ...words: readonly string[]): Promise<void> {
  const command = withSweepFlags(new Command()).parse(["--resume", folder, ...words], { from: "user" });
  return runSweep(askedOf<SweepFlags>(command), new AbortController().signal);
}

async function bestIn(folder: string): Promise<unknown> {
  const result: { readonly best?: unknown } = JSON.parse(await readFile(join(folder, "result.json"), "utf8"));
  return result.best;
}

test("a resumed sweep is judged as it was started, unless the command line says otherwise", async () => {
  const folder = await sweepFolder();
  await resume(folder);
  expect(await bestIn(folder)).toEqual({ withinP99Ms: 50, within: 0.5, point: ["4"] });
  await resume(folder, "--within-p99", "5");
  expect(await bestIn(folder)).toEqual({ withinP99Ms: 5, within: 0.5, point: null });
});

test("more rounds of a resumed sweep are stored, and fewer are rejected", async () => {
  const folder = await sweepFolder();
  await resume(folder, "--rounds", "3");
  expect(await readSweep(folder)).toMatchObject({ rounds: 3, repeat: expect.stringMatching(/ --rounds 3$/) });
  await expect(resume(folder, "--rounds", "2")).rejects.toThrow("--rounds: the sweep has 3; expected at least as many");
});
