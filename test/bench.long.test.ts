import { execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runTally } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { processesNaming, temporaryDirectory } from "@tally/local/at-end";
import { bench, root, runBench, runReported } from "./kit/programs.ts";

// Most of these start servers.
vi.setConfig({ testTimeout: 10 * 60_000 });

test("purchases of a seed are stored and ranked, with every figure, and a plan is made of them", async () => {
  const results = await temporaryDirectory();
  const load = ["--amount", "11000", "--connections", "66", "--seed", "5"];
  const { output, report, ...run } = await runReported("bench", ...load, "--results", results);
  expect(run).toEqual({ exitCode: 0, errors: "" });
  expect(report).toMatchObject({
    design: "batched",
    durability: "confirmed",
    connections: 66,
    asked: { amount: 11000 },
    warmUpSeconds: 0,
    gateways: 1,
    settings: {},
    contentBytes: null,
    source: null,
    sent: 11000,
    accepted: { events: 11000 },
    statuses: { "201": 11000 },
    errors: { non2xx: 0, timeouts: 0, unanswered: 0 },
    queue: { max: expect.any(Number) },
    audit: { acknowledged: 11000, stored: 11000, ranked: 11000, lost: 0, doubled: 0 },
    // Seed 5, 11,000 purchases. Another hash means another workload or other rankings.
    boardsHash: "95227b2e7588d845",
  });
  for (const figure of ["accepted", "stored", "ranked"]) expect(report[figure].perSecond).toBeGreaterThan(0);
  for (const figure of ["mean", "p50", "p95", "p99", "p999", "max"])
    expect(report.latencyMs[figure]).toBeGreaterThan(0);
  for (const tier of ["gateway", "writer", "ranker", "broker", "database", "redis", "client", "total"])
    expect([tier, report.cpuUsPerEvent[tier]]).toEqual([tier, expect.toSatisfy((us: number) => us > 0)]);
  const hops = ["received-sealed", "sealed-confirmed", "confirmed-responded", "sealed-stored", "stored-ranked"];
  expect(report.hops.map(({ name }: { readonly name: string }) => name)).toEqual(hops);
  expect(report.littlesLaw.expectedPerSecond).toBeGreaterThan(0);
  expect(report.drainSeconds).toBeGreaterThanOrEqual(0);
  expect(Object.keys(report.versions)).toEqual(["node", "database", "broker", "servers", "redis"]);
  for (const name of ["runId", "at", "machine", "commit", "repeat"]) expect(output).toContain(report[name]);
  for (const [name, version] of Object.entries<string>(report.versions)) expect(output).toContain(`${name} ${version}`);
  expect(output).toContain("--seed 5");
  expect(output).toMatch(/^p50\/p99 ms of received-sealed [\d.]+\/[\d.]+ {2}sealed-confirmed /m);
  expect(output).toContain("boards 95227b2e7588d845");
  const demand = ["--stores", "5000", "--per-hour", "300", "--run", join(results, readdirSync(results)[0] ?? "")];
  const plan = await runTally(root, process.env, ["plan", ...demand, "--json"]);
  expect(plan).toMatchObject({ exitCode: 0, errors: "" });
  const tiers = JSON.parse(plan.output).tiers.map((one: Record<string, unknown>) => [one.tier, one.usPerEvent]);
  expect(report.cpuUsPerEvent).toMatchObject(Object.fromEntries(tiers));
});

test("a scaled-down source sends its exact number of requests, beside the printed figures", async () => {
  const { output, report } = await bench("source", "S3", "--scale", "0.005", "--designs", "batched");
  const { runs }: { readonly runs: readonly unknown[] } = report;
  const expected = [
    { threads: 256, rides: 1920, reads: 448 },
    { threads: 512, rides: 3840, reads: 896 },
  ].map(({ threads, rides, reads }, index) => ({
    source: { name: "S3", runs: 2, run: index + 1, scale: 0.005, description: `${threads} threads` },
    durability: "confirmed",
    sent: rides + reads,
    statuses: { 200: reads, 201: rides },
    errors: { non2xx: 0, timeouts: 0, connections: 0, unanswered: 0 },
    accepted: { events: rides },
    audit: { acknowledged: rides, stored: rides, ranked: rides, lost: 0, doubled: 0 },
  }));
  expect(runs).toMatchObject(expected);
  expect(output).toContain("S3, 512 threads (run 2 of 2), scale 0.005");
  expect(output).toContain("acknowledged 1920, stored 1920, ranked 1920");
  expect(output).toContain("acknowledged 3840, stored 3840, ranked 3840");
  expect(output).toMatch(/^\|256 threads\|A4: queue, two databases\|1,579\|[\d,]+\|/m);
});

test("a mix after a fill and a warm-up, beside busy loops, counts neither and is marked as disturbed", async () => {
  // Enough to be among the three largest beside the servers of other tests, and to disturb a machine with many cores.
  for (let loop = 0; loop < 3 + availableParallelism() / 4; loop++) {
    // In a separate process group, so the bench counts it as foreign.
    const child = spawn(process.execPath, ["-e", "process.title = 'busy-loop'; for (;;);"], {
      stdio: "ignore",
      detached: true,
    });
    onTestFinished(() => void child.kill("SIGKILL"));
  }
  const load = ["--mix", "0.5", "--duration", "2", "--warm-up", "0.5", "--rate", "200", "--connections", "8"];
  const { output, report } = await bench(...load, "--fill", "500");
  const { reads, sent, accepted, audit, statuses } = report;
  expect(Math.min(reads.requests, accepted.events)).toBeGreaterThan(0);
  expect([sent, statuses]).toEqual([400, { "200": reads.requests, "201": accepted.events }]);
  expect(audit.acknowledged).toBeGreaterThan(500 + accepted.events);
  const { acknowledged } = audit;
  expect(report).toMatchObject({
    fill: { asked: 500, accepted: 500 },
    audit: { stored: acknowledged, ranked: acknowledged, lost: 0, doubled: 0 },
    agrees: true,
    disturbance: {
      // Other tests may run beside this one.
      foreign: { largest: expect.arrayContaining([expect.objectContaining({ name: "busy-loop" })]) },
      steal: { percent: expect.any(Number) },
      isDisturbed: true,
    },
  });
  expect(output).toMatch(/^The run was disturbed: foreign CPU [\d.]+ %/m);
});

/** Runs each design once, with the same 200 purchases. */
async function compareDesigns(...designs: readonly string[]) {
  const flags = ["--rounds", "1", "--amount", "200", "--connections", "4", "--gateways", "2"];
  const { report, ...run } = await runBench("compare", ...designs, ...flags);
  const runs: readonly { readonly contender: string; readonly report: unknown }[] = report.runs;
  expect(runs.map(({ contender }) => contender)).toEqual(designs);
  const reports = Object.fromEntries(report.runs.map((one: (typeof runs)[number]) => [one.contender, one.report]));
  return { ...run, reports, ratios: report.ratios };
}

const known = { perSecond: expect.any(Number) };
const unknown = { perSecond: null };
const whole = { acknowledged: 200, stored: 200, ranked: 200, lost: 0, doubled: 0 };
const confirmed = { durability: "confirmed", accepted: { events: 200 }, statuses: { "201": 200 } };
// Of these purchases, whatever the design.
const boardsHash = "891c39be2a28273f";

test("every design with a queue runs, and reports its durability and its losses", async () => {
  const durable = ["per-message", "primary-reads", "balanced", "scaled"];
  const unconfirmed = "per-message:persistent";
  const { reports, exitCode, output, errors } = await compareDesigns(...durable, "batched:transient", unconfirmed);
  const audited = { ...confirmed, stored: known, ranked: known, audit: whole, agrees: true, boardsHash };
  for (const design of durable) {
    expect(reports[design]).toMatchObject(audited);
    expect(output).toContain(`${design}: a 2xx means on disk at a majority of the broker's nodes`);
  }
  expect(reports["batched:transient"]).toMatchObject({ ...audited, durability: "transient" });
  // It may lose events: the report and the exit status say so.
  const { audit, agrees, ...rest } = reports[unconfirmed];
  expect(rest).toMatchObject({ durability: "persistent", accepted: { events: 200 } });
  expect(audit).toMatchObject({ acknowledged: 200, lost: expect.any(Number) });
  const isWhole = audit.lost === 0 && agrees === true;
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: isWhole ? 0 : 1, errors: "" });
});

test("every design without a queue runs, and reports only known figures", async () => {
  const unledgered = ["synchronous", "balanced-synchronous"];
  const { reports, ratios, ...run } = await compareDesigns(...unledgered, "bare");
  expect(run).toMatchObject({ exitCode: 0, errors: "" });
  // Without a ledger only the number of rows and the boards can be checked.
  const rows = { ...confirmed, stored: known, audit: { ...whole, ranked: null }, agrees: null, followed: null };
  for (const design of unledgered) {
    const { accepted } = reports[design];
    const atOnce = { stored: { perSecond: accepted.perSecond }, ranked: { perSecond: accepted.perSecond } };
    expect(reports[design]).toMatchObject({ ...rows, ...atOnce, drainSeconds: 0, boardsHash });
  }
  const nothing = { stored: unknown, ranked: unknown, audit: null, agrees: null, boardsHash: null, followed: null };
  expect(reports["bare"]).toMatchObject({ ...confirmed, ...nothing, drainSeconds: null });
  expect(ratios).toContainEqual({
    figure: "accepted /s",
    of: "synchronous",
    against: "bare",
    rounds: 1,
    low: reports["synchronous"].accepted.perSecond / reports["bare"].accepted.perSecond,
    median: expect.any(Number),
    high: expect.any(Number),
  });
});

test("a commit is installed, started by its own launcher, and compared with this checkout", async () => {
  const load = ["--amount", "2000", "--connections", "16", "--set", "BATCH_EVERY_MS=5"];
  // More than any ratio: the exit status is 1 for that reason alone, because both runs are good.
  const flags = ["--rounds", "1", "--fail-below", "100", ...load];
  const { exitCode, output, errors, report: compared } = await runBench("compare", "batched", "batched@HEAD", ...flags);
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 1, errors: "" });
  expect(output).toMatch(/^batched \/ batched@HEAD: ranked \/s [\d.]+, below 100$/m);
  const { runs, ratios } = compared;
  expect(runs.map(({ contender }: { readonly contender: string }) => contender)).toEqual(["batched", "batched@HEAD"]);
  const [own, build] = runs.map(({ report }: { readonly report: unknown }) => report);
  const audit = { acknowledged: 2000, stored: 2000, ranked: 2000, lost: 0, doubled: 0 };
  const { boardsHash: hash, settings } = own;
  const expected = { accepted: { events: 2000 }, audit, agrees: true, boardsHash: hash, settings };
  expect(own).toMatchObject({ ...expected, design: "batched" });
  expect(build).toMatchObject({ ...expected, design: expect.stringMatching(/^batched@[0-9a-f]{7}$/) });
  const figures = ["ranked /s", "p50 ms", "p99 ms", "CPU µs/event"];
  for (const figure of [...figures, "  gateway", "  writer", "  ranker", "  broker", "  database", "  redis"])
    expect(ratios).toContainEqual(expect.objectContaining({ figure, against: "batched@HEAD", rounds: 1 }));
  const builds = join(root, ".tally", "builds-");
  await expect.poll(() => processesNaming(builds)).toEqual([]);
  expect(execFileSync("git", ["worktree", "list"], { encoding: "utf8" })).not.toContain(builds);
});
