import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chooseRun } from "./choose-run.ts";
import { measuredRun as fit } from "./measured-run.fixture.ts";
import type { MeasuredRun } from "@tally/pipeline/bench-report";

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

test("chooses the newest fit run and gives the reason for each newer one", async () => {
  const folder = await folderOf([
    fit,
    { ...fit, runId: "chosen" },
    { ...fit, target: "http://elsewhere" },
    { ...fit, domain: "steps" },
    { ...fit, design: "bare" },
    { ...fit, durability: "transient" },
    { ...fit, model: "open" },
    { ...fit, readShare: 0.5 },
    { ...fit, reads: { requests: 7 } },
    { ...fit, connections: 63 },
    { ...fit, mode: `${fit.mode}, BATCH_EVERY_MS=0` },
    { ...fit, settings: { BATCH_EVERY_MS: "0" } },
    { ...fit, agrees: false },
    { ...fit, agrees: null },
    { ...fit, audit: { lost: 2, doubled: 1 } },
    { ...fit, ranked: { perSecond: null } },
    { ...fit, accepted: { events: 50, perSecond: 100 } },
    { ...fit, cpuUsPerEvent: { ...fit.cpuUsPerEvent, redis: null } },
    "half a fi",
    "[]",
  ]);
  const chosen = await chooseRun(folder, "purchases");
  expect(chosen).toMatchObject({ run: { runId: "chosen" } });
  expect(chosen.passedOver.map(({ unfit }) => unfit).toReversed()).toEqual([
    "run r is unfit: another system: the CPU time of its tiers is unknown",
    "run r is unfit: domain steps, expected purchases",
    "run r is unfit: design bare, expected batched",
    "run r is unfit: durability transient, expected confirmed",
    "run r is unfit: open model, expected closed",
    "run r is unfit: 0.5 of its requests are reads",
    "run r is unfit: 7 of its requests are reads",
    "run r is unfit: 63 connections, at least 64 are a full load",
    "run r is unfit: changed settings BATCH_EVERY_MS=0",
    "run r is unfit: changed settings BATCH_EVERY_MS=0",
    "run r is unfit: not audited, or the audit found differences",
    "run r is unfit: not audited, or the audit found differences",
    "run r is unfit: it lost 2 events and doubled 1",
    "run r is unfit: not all of its events were ranked",
    "run r is unfit: 50 events, at least 10000 average out the start",
    "run r is unfit: no CPU time for redis (cpuUsPerEvent.redis)",
    expect.stringContaining("JSON"),
    "no report of pnpm bench",
  ]);
});

test("chooses none if no run is fit", async () => {
  expect(await chooseRun(await folderOf([{ ...fit, model: "source" }]), "purchases")).toEqual({
    passedOver: [expect.objectContaining({ unfit: expect.stringContaining("source model") })],
  });
  expect(await chooseRun("/no/such/folder", "purchases")).toEqual({ passedOver: [] });
});
