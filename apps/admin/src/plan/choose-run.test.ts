import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chooseRun } from "./choose-run.ts";
import type { MeasuredRun } from "./plan.ts";

const fit: MeasuredRun = {
  runId: "r",
  at: "2026-11-21",
  machine: "m",
  domain: "purchases",
  design: "batched",
  durability: "confirmed",
  target: null,
  model: "closed",
  readShare: 0,
  agrees: true,
  accepted: { events: 360_000, perSecond: 12_000 },
  cpuUsPerEvent: { gateway: 32, writer: 12, ranker: 2, broker: 7, database: 41, redis: 43 },
};

async function folderOf(runs: readonly (MeasuredRun | string)[]) {
  const folder = await mkdtemp(join(tmpdir(), "tally-plan-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [index, run] of runs.entries())
    await writeFile(
      join(folder, `2026-11-${10 + index}T00-00-00Z-batched.json`),
      typeof run === "string" ? run : JSON.stringify(run),
    );
  await writeFile(join(folder, "2026-11-99T00-00-00Z-batched.html"), "");
  return folder;
}

test("the newest run that is fit is chosen, and of each newer one it is told why not", async () => {
  const folder = await folderOf([
    fit,
    { ...fit, runId: "chosen" },
    { ...fit, target: "http://elsewhere" },
    { ...fit, design: "bare" },
    { ...fit, durability: "transient" },
    { ...fit, model: "open" },
    { ...fit, readShare: 0.5 },
    { ...fit, agrees: false },
    { ...fit, agrees: null },
    { ...fit, accepted: { events: 50, perSecond: 100 } },
    { ...fit, cpuUsPerEvent: { ...fit.cpuUsPerEvent, redis: null } },
    "half a fi",
  ]);
  const chosen = await chooseRun(folder);
  expect(chosen).toMatchObject({ run: { runId: "chosen" } });
  expect(chosen.passedOver.map(({ unfit }) => unfit).toReversed()).toEqual([
    "of a system elsewhere: what its tiers used is not known",
    "of the design bare",
    "transient, not confirmed",
    "of the open model, not closed",
    "a mix with reads",
    "not audited, or the audit found differences",
    "not audited, or the audit found differences",
    "50 events only: starting weighs too much",
    "cpuUsPerEvent.redis: expected a number above 0",
    expect.stringContaining("JSON"),
  ]);
});

test("where no run is fit none is chosen", async () => {
  expect(await chooseRun(await folderOf([{ ...fit, model: "source" }]))).toEqual({
    passedOver: [expect.objectContaining({ unfit: expect.stringContaining("source model") })],
  });
  expect(await chooseRun("/no/such/folder")).toEqual({ passedOver: [] });
});
