import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTally } from "@tally/local";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const asked = ["--stores", "5000", "--per-hour", "300", "--peak", "3"];

/** What is read of a report of pnpm bench; the values are those of a run on two cores. */
const fit = {
  runId: "5b1f",
  at: "2026-11-21T12:00:00.000Z",
  machine: "2 × AMD EPYC, 24 GiB",
  domain: "purchases",
  design: "batched",
  durability: "confirmed",
  target: null,
  model: "closed",
  connections: 512,
  readShare: 0,
  mode: "production, a fresh system on this machine",
  agrees: true,
  audit: { acknowledged: 360_000, stored: 360_000, ranked: 360_000, lost: 0, doubled: 0 },
  ranked: { perSecond: 11_900 },
  accepted: { events: 360_000, perSecond: 12_000 },
  reads: { requests: 0 },
  cpuUsPerEvent: { gateway: 32.7, writer: 12.3, ranker: 2.1, broker: 7.4, database: 41.9, redis: 43.3 },
};

/** Runs `tally plan` on a folder of runs, the first the oldest. */
async function plan(runs: readonly object[], ...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "tally-plan-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = await Promise.all(
    runs.map(async (run, index) => {
      const file = join(folder, `2026-11-${10 + index}T00-00-00Z.json`);
      await writeFile(file, JSON.stringify(run));
      return file;
    }),
  );
  const withFile = args.map((arg) => (arg === "FILE" ? (files[0] ?? "") : arg));
  const environment = { PATH: process.env["PATH"], NO_COLOR: "1" };
  const where = args.includes("--run") ? [] : ["--results", folder];
  const result = await runTally(root, environment, ["plan", ...asked, ...where, ...withFile]);
  return { ...result, files };
}

test("every figure of a plan can be recomputed from the earlier figures in its line", async () => {
  const { exitCode, output, errors } = await plan([fit]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
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

test("a plan names the load and the machine of the measured cost, and what that means", async () => {
  const { output } = await plan([fit]);
  expect(output).toContain("measured at full load, with 512 busy connections, on 2 × AMD EPYC, 24 GiB");
  expect(output).toMatch(/half the load or less it has cost up to twice as much/);
  expect(output).toContain("--utilization 0.3 leaves room for twice the cost");
});

test("uses the newest fit run, and prints why each newer run is unfit", async () => {
  const { exitCode, output, files } = await plan([
    { ...fit, runId: "older" },
    fit,
    { ...fit, runId: "mixed", readShare: 0.25 },
    { ...fit, runId: "walked", domain: "steps" },
  ]);
  expect(exitCode).toBe(0);
  expect(output).toContain("measured: run 5b1f, ");
  expect(output).toContain(`chosen: ${files[1]}`);
  expect(output).toContain(`skipped ${files[2]}: run mixed is unfit: 0.25 of its requests are reads`);
  expect(output).toContain(`skipped ${files[3]}: run walked is unfit: domain steps, expected purchases`);
  expect(output).not.toContain("older");
});

test("an unfit run is rejected in one line that names it and the reason", async () => {
  const { exitCode, output, errors, files } = await plan([{ ...fit, domain: "swipes" }], "--run", "FILE");
  const reason = "unfit: domain swipes, expected purchases";
  expect({ exitCode, output, errors }).toEqual({
    exitCode: 2,
    output: "",
    errors: `tally: --run: ${files[0]}: run 5b1f is ${reason}\n`,
  });
});

test("--results with --run is rejected", async () => {
  const { exitCode, errors } = await plan([fit], "--run", "FILE", "--results", ".");
  expect(exitCode).toBe(2);
  expect(errors).toContain("option '--results <folder>' cannot be used with option '--run <file>'");
});

test("a run of another domain is the base of that domain's plan", async () => {
  const { exitCode, output } = await plan([{ ...fit, domain: "swipes" }, fit], "--domain", "swipes");
  expect(exitCode).toBe(0);
  expect(output).toContain(", swipes, 12000 events/s");
  const unknown = await plan([fit], "--domain", "shoes");
  expect(unknown).toMatchObject({ exitCode: 2, output: "" });
  expect(unknown.errors).toMatch(/^tally: --domain: expected one of purchases.*, got shoes\n$/);
});

test("without a fit run: no plan, and the reason for each run", async () => {
  const { exitCode, output, errors, files } = await plan([{ ...fit, design: "bare" }, { at: "never" }]);
  expect({ exitCode, output }).toEqual({ exitCode: 2, output: "" });
  expect(errors).toMatch(/^tally: no run in \S+ is fit for a plan; pnpm bench makes one, or name a file with --run\n/);
  expect(errors).toContain(`skipped ${files[0]}: run 5b1f is unfit: design bare, expected batched`);
  expect(errors).toContain(`skipped ${files[1]}: no report of pnpm bench`);
});

test("as JSON a plan is the same, with the run that it is based on", async () => {
  const { output, files } = await plan([fit], "--json");
  const { plan: json, run, demand } = JSON.parse(output);
  expect(run).toBe(files[0]);
  expect(demand).toMatchObject({ stores: 5000, eventsPerHour: 300, peak: 3, utilization: 0.6 });
  expect(json.tiers.map(({ tier }: { tier: string }) => tier)).toEqual(Object.keys(fit.cpuUsPerEvent));
  expect(JSON.parse(await readFile(run, "utf8"))).toEqual(fit);
});
