import { execFile, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@tally/local/at-end";
import { expect, onTestFinished, test, vi } from "vitest";
import { planCommand } from "./plan-command.ts";
import { planFor } from "./plan.ts";

const demand = { stores: 5000, perHour: 300, peak: 3, utilization: 0.6 };
const costs = { gateway: 41.6, writer: 7.4, ranker: 2.4, broker: 6.6, database: 19.3, redis: 20.1 };

const fit = {
  at: "2026-11-24T16:54:47.054Z",
  machine: "2 × AMD EPYC",
  domain: "purchases",
  design: "batched",
  durability: "confirmed",
  model: "closed",
  connections: 64,
  settings: {},
  accepted: { events: 11_788, perSecond: 2274 },
  reads: { requests: 0 },
  cpuUsPerEvent: { ...costs, client: 70, total: 97.4 },
  disturbance: { isDisturbed: true },
  audit: { acknowledged: 34_380, stored: 34_380, ranked: 34_380, lost: 0, doubled: 0 },
  agrees: true,
};

/** A folder of runs, the first the oldest. */
async function folderOf(...runs: readonly object[]): Promise<string> {
  const folder = await temporaryDirectory();
  for (const [index, run] of runs.entries()) await writeFile(join(folder, `${index}.json`), JSON.stringify(run));
  return folder;
}

const flags = ["--stores", "5000", "--per-hour", "300"];
const planOf = (folder: string) => planCommand(folder).parseAsync([...flags, "--json"], { from: "user" });

// At 125,000/s, / 0.6: gateway 8.67 cores, broker 1.4, database 4.02, Redis 4.19 with one shard, with 30 × 1.769 = 7.41
// × 4/3 = 9.9 masters; writer 1.54 × 1.131, ranker 0.5 × 2.1. A quarter of it needs three masters, the least.
test.each([
  [5000, 1, "2 c7g.large, 2 c7g.large, 2 c7g.large, 3 m7g.large, 2 r7g.large, 2 r7g.large"],
  [125_000, 9, "3 c7g.large, 2 c7g.large, 2 c7g.large, 3 m7g.large, 2 r7g.large, 6 r7g.large"],
  [500_000, 30, "6 c7g.large, 2 c7g.large, 2 c7g.large, 3 m7g.large, 2 r7g.2xlarge, 20 r7g.large"],
])("%i stores with 300 events an hour, × 3 at the peak, need %i shards and %s", (stores, shards, instances) => {
  const plan = planFor({ ...demand, stores }, costs);
  expect(plan.tiers.map(({ count, instance }) => `${count} ${instance}`).join(", ")).toBe(instances);
  expect(plan.shards).toBe(shards);
});

test("a demand that is too large for one system is rejected", () => {
  expect(() => planFor({ ...demand, stores: 1e7 }, costs)).toThrow("--stores: redis needs more than 64 shards");
  expect(() => planFor({ ...demand, stores: 1e7 }, { ...costs, redis: 0.1 })).toThrow("database needs more than 64");
});

test.each([
  [{ domain: "steps" }, 'domain: expected purchases, got "steps"'],
  [{ design: "bare" }, 'design: expected batched, got "bare"'],
  [{ durability: "transient" }, 'durability: expected confirmed, got "transient"'],
  [{ model: "open" }, 'model: expected closed, got "open"'],
  [{ connections: 63 }, "connections: expected at least 64, got 63"],
  [
    { reads: { requests: 7 } },
    "reads.requests: expected 0, got 7; pnpm bench --domain purchases makes a run that fits, unless its load has GETs",
  ],
  [{ settings: { BATCH_EVERY_MS: "0" } }, "settings.BATCH_EVERY_MS: expected no such field"],
  [{ audit: null }, "audit: expected an audit, got null"],
  [{ audit: { lost: 2, doubled: 0 } }, "audit.lost: expected 0, got 2"],
  [{ audit: { lost: 0, doubled: 1 } }, "audit.doubled: expected 0, got 1"],
  [{ agrees: false }, "agrees: expected true, got false"],
  [{ accepted: { events: 50, perSecond: 9 } }, "accepted.events: expected at least 10000, got 50"],
  [{ cpuUsPerEvent: { ...costs, redis: null } }, "cpuUsPerEvent.redis: expected more than 0 µs, got null"],
])("a run with %j is unfit", async (change, reason) => {
  await expect(planOf(await folderOf({ ...fit, ...change }))).rejects.toThrow(reason);
});

test("the newest run that fits is the base", async () => {
  const print = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => print.mockRestore());
  await planOf(await folderOf(fit, fit, { ...fit, agrees: false }));
  expect(JSON.parse(print.mock.calls.join(""))).toMatchObject({ demand, run: expect.stringMatching(/1\.json$/) });
});

test("the program prints a calculation that can be checked by hand", async () => {
  const file = join(await folderOf(fit), "0.json");
  const args = [join(import.meta.dirname, "..", "main.ts"), "plan", ...flags, "--peak", "30", "--run", file];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const calculation = "41.6 µs × 12500/s = 0.52 cores, / 0.6 = 0.866667, / 2 cores, rounded up = 1, + 1 spare";
  expect(stdout).toContain("5000 stores × 300 events/h / 3600 s = 416.667/s, × 30 at the peak = 12500/s\n");
  expect(stdout).toContain(`gateway  ${calculation} = 2 × c7g.large\n`);
});

test("a full disk ends a command with one line and no stack", async () => {
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  const args = [
    join(import.meta.dirname, "../main.ts"),
    "plan",
    ...flags,
    "--run",
    join(await folderOf(fit), "0.json"),
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", full, "pipe"], encoding: "utf8" });
  expect([status, stderr]).toEqual([2, "tally: ENOSPC: no space left on device, write\n"]);
});
