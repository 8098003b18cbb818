import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { FitRun } from "./plan-command.ts";
import { costOfShards, planFor } from "./plan.ts";

/** Fit for a plan; the costs are those of a run on two cores. */
const fit: FitRun = {
  runId: "r",
  at: "2026-11-21",
  machine: "m",
  domain: "purchases",
  design: "batched",
  durability: "confirmed",
  target: null,
  model: "closed",
  connections: 512,
  readShare: 0,
  settings: {},
  agrees: true,
  audit: { lost: 0, doubled: 0 },
  ranked: { perSecond: 11_900 },
  accepted: { events: 360_000, perSecond: 12_000 },
  reads: { requests: 0 },
  cpuUsPerEvent: { gateway: 32, writer: 12, ranker: 2, broker: 7, database: 41, redis: 43 },
};

const main = join(import.meta.dirname, "..", "main.ts");

/** Runs `tally plan` on a folder of runs, the first the oldest. FILE in the arguments is the first one. */
async function tallyPlan(runs: readonly (object | string)[], ...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "tally-plan-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = runs.map((_, index) => join(folder, `2026-11-${10 + index}T00-00-00Z-batched.json`));
  for (const [index, run] of runs.entries())
    await writeFile(files[index] ?? "", typeof run === "string" ? run : JSON.stringify(run));
  await writeFile(join(folder, "2026-11-99T00-00-00Z-batched.html"), "");
  const where = args.includes("--run") ? [] : ["--results", folder];
  const flags = ["plan", "--stores", "5000", "--per-hour", "300", "--peak", "3", ...where];
  const all = [main, ...flags, ...args.map((arg) => (arg === "FILE" ? (files[0] ?? "") : arg))];
  const env = { PATH: process.env["PATH"], NO_COLOR: "1" };
  return new Promise<{ exitCode: unknown; output: string; errors: string; files: readonly string[] }>((resolve) => {
    execFile(process.execPath, all, { env }, (error, output, errors) =>
      resolve({ exitCode: error?.code ?? 0, output, errors, files }),
    );
  });
}

test("a plan names the load and the machine of its costs, and every figure can be recomputed from the earlier ones in its line", async () => {
  const { exitCode, output, errors } = await tallyPlan([fit]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
  expect(output).toContain("measured at full load, with 512 busy connections, on m");
  expect(output).toContain("--utilization 0.3 leaves room for twice the load");
  const [, mean, peak] =
    /^5000 stores × 300 events an hour \/ 3600 s = (\S+) events\/s, × 3 at the peak = (\S+)\/s$/m.exec(output) ?? [];
  expect(Number(mean)).toBeCloseTo((5000 * 300) / 3600, 2);
  expect(Number(peak)).toBeCloseTo(Number(mean) * 3, 2);
  const line =
    /^(\w+) +(\S+) µs × (\S+)\/s = (\S+) cores, \/ 0\.6 = (\S+), (?:\/ 2 cores, )?(?:rounded up = (\d+), ([+×]) (\d)|in (\d+) cores, × (\d)) = (\d+) × \S+ {2}\(/gm;
  const tiers = Array.from(output.matchAll(line), ([, tier = "", ...figures]) => {
    const [us, rate, cores, needed, up, sign, by, fits, times, count] = figures.map((text) =>
      text === undefined || Number.isNaN(Number(text)) ? text : Number(text),
    );
    expect(rate).toBe(Number(peak));
    expect(cores).toBeCloseTo((Number(us) * Number(rate)) / 1e6, 5);
    expect(needed).toBeCloseTo(Number(cores) / 0.6, 5);
    if (fits === undefined) {
      expect(up).toBe(Math.ceil(Number(needed) / (sign === "+" ? 2 : 1)));
      expect(count).toBe(sign === "+" ? Number(up) + Number(by) : Number(up) * Number(by));
    } else {
      expect(needed).toBeLessThanOrEqual(Number(fits));
      expect(count).toBe(times);
    }
    return [tier, us];
  });
  expect(Object.fromEntries(tiers)).toEqual(fit.cpuUsPerEvent);
});

const unfit: readonly (readonly [run: object | string, reason: string])[] = [
  [{ ...fit, target: "http://elsewhere" }, 'target: expected none, got "http://elsewhere"'],
  [{ ...fit, domain: "steps" }, 'domain: expected purchases, got "steps"'],
  [{ ...fit, design: "bare" }, 'design: expected batched, got "bare"'],
  [{ ...fit, durability: "transient" }, 'durability: expected confirmed, got "transient"'],
  [{ ...fit, model: "open" }, 'model: expected closed, got "open"'],
  [{ ...fit, readShare: 0.5 }, "readShare: expected 0, got 0.5"],
  [{ ...fit, reads: { requests: 7 } }, "reads.requests: expected 0, got 7"],
  [{ ...fit, connections: 63 }, "connections: expected at least 64, got 63"],
  [{ ...fit, settings: { BATCH_EVERY_MS: "0" } }, "settings.BATCH_EVERY_MS: expected no such field"],
  [{ ...fit, agrees: false }, "agrees: expected true, got false"],
  [{ ...fit, audit: null }, "audit: expected an audit, got null"],
  [{ ...fit, audit: { lost: 2, doubled: 1 } }, "audit.lost: expected 0, got 2"],
  [{ ...fit, ranked: { perSecond: null } }, "ranked.perSecond: expected all accepted events, got null"],
  [{ ...fit, accepted: { events: 50, perSecond: 100 } }, "accepted.events: expected at least 10000, got 50"],
  [
    { ...fit, cpuUsPerEvent: { ...fit.cpuUsPerEvent, redis: null } },
    "cpuUsPerEvent.redis: expected more than 0 µs, got null",
  ],
  ["half a fi", ""],
  ["[]", "body: expected a report of pnpm bench"],
];

test("uses the newest fit run, and prints why each newer run is unfit", async () => {
  const older = [
    { ...fit, runId: "older" },
    { ...fit, runId: "chosen" },
  ];
  const { exitCode, output, files } = await tallyPlan([...older, ...unfit.map(([run]) => run)]);
  expect(exitCode).toBe(0);
  expect(output).toContain("measured: run chosen, ");
  expect(output).toContain(`chosen: ${files[1]}`);
  for (const [index, [, reason]] of unfit.entries())
    expect(output).toContain(`skipped ${files[older.length + index]}: ${reason}`);
  expect(output).not.toContain("older");
});

test.each([
  [["--run", "FILE"], 'tally: --run: FILE: domain: expected purchases, got "swipes"\n'],
  [["--run", "FILE", "--results", "."], "option '--results <folder>' cannot be used with option '--run <file>'"],
  [["--domain", "shoes"], "tally: --domain: expected one of purchases"],
  [["--results", "/none"], "at least 64 connections, at least 10000 accepted events"],
  [["--results", "/none"], "  pnpm bench --connections 512 --duration 30 makes one; or name a file with --run"],
  [[], 'skipped FILE: domain: expected purchases, got "swipes"'],
])("without a fit run, or with wrong usage, there is no plan: %j", async (args, reason) => {
  const { exitCode, output, errors, files } = await tallyPlan([{ ...fit, domain: "swipes" }], ...args);
  expect({ exitCode, output }).toEqual({ exitCode: 2, output: "" });
  expect(errors).toContain(reason.replace("FILE", files[0] ?? ""));
});

test("a run of another domain is the base of that domain's plan", async () => {
  const { exitCode, output } = await tallyPlan([{ ...fit, domain: "swipes" }, fit], "--domain", "swipes");
  expect(exitCode).toBe(0);
  expect(output).toContain(", swipes, 12000 events/s");
});

test("as JSON a plan is the same, with the run that it is based on", async () => {
  const { output, files } = await tallyPlan([fit], "--json");
  const { plan: json, run, demand } = JSON.parse(output);
  expect(run).toBe(files[0]);
  expect(demand).toMatchObject({ stores: 5000, eventsPerHour: 300, peak: 3, utilization: 0.6 });
  expect(json.tiers.map(({ tier }: { tier: string }) => tier)).toEqual(Object.keys(fit.cpuUsPerEvent));
  expect(JSON.parse(await readFile(run, "utf8"))).toEqual(fit);
});

const demand = { stores: 5000, eventsPerHour: 300, peak: 3, utilization: 0.6 };

test("5,000 stores with 300 purchases an hour, three times the mean at the peak", () => {
  const plan = planFor(demand, fit);
  expect(plan.meanPerSecond).toBeCloseTo(416.67, 2);
  expect(plan.peakPerSecond).toBe(1250);
  expect(plan.tiers.map(({ tier, instance, count }) => [tier, instance, count])).toEqual([
    ["gateway", "c7g.large", 2],
    ["writer", "c7g.large", 2],
    ["ranker", "c7g.large", 2],
    ["broker", "m7g.large", 3],
    ["database", "db.r7g.large", 2],
    ["redis", "cache.r7g.large", 2],
  ]);
  expect(plan.tiers[0]?.cores).toBeCloseTo(0.04, 5);
});

test("a hundred times as many stores: stateless tiers get more instances, the others larger ones, up to the largest", () => {
  const plan = planFor({ ...demand, stores: 500_000 }, fit);
  expect(plan.tiers.map(({ tier, instance, count }) => [tier, instance, count])).toEqual([
    ["gateway", "c7g.large", 5], // 125,000/s × 32 µs = 4 cores, / 0.6 = 6.67, two in each instance, and one more instance
    ["writer", "c7g.large", 3],
    ["ranker", "c7g.large", 2],
    ["broker", "m7g.large", 3],
    ["database", "db.r7g.4xlarge", 2],
    ["redis", "cache.r7g.large", 62], // 43 µs × (1.61 + 0.0053 × 36) = 9.7 cores, / 0.6 = 16, × 2 / 36 on the busiest of 31 masters
  ]);

  const tooMuch = planFor({ ...demand, stores: 5_000_000 }, fit);
  expect(tooMuch.tiers[4]?.why).toContain("run several systems");
  expect(tooMuch.tiers.at(-1)).toMatchObject({ count: 0, why: expect.stringContaining("run several systems") });
});

test("a run that was measured with several shards has their cost already", () => {
  const large = { ...demand, stores: 500_000 };
  const shards = planFor(large, fit).shards;
  const redis = (settings: FitRun["settings"]) =>
    planFor(large, { ...fit, settings }).tiers.at(-1)?.usPerEvent ?? Number.NaN;
  const factor = costOfShards("redis", 4);
  expect(factor).toBeGreaterThan(1.5);
  expect(redis({})).toBeCloseTo(43 * costOfShards("redis", shards), 6);
  // Fewer cores: other shards.
  const { shards: others } = planFor(large, { ...fit, settings: { RANKING_SHARDS: "4" } });
  expect(redis({ RANKING_SHARDS: "4" })).toBeCloseTo((43 * costOfShards("redis", others)) / factor, 6);
});
