import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { bench, benchMain, runBench, runProgram } from "./kit/programs.ts";

// Most of these start servers.
vi.setConfig({ testTimeout: 10 * 60_000 });

test("purchases of a seed are all stored and ranked, the report has every figure, and the rankings are reproducible", async () => {
  const { output, report } = await bench("--amount", "3000", "--connections", "33", "--seed", "5");
  expect(report).toMatchObject({
    design: "batched",
    durability: "confirmed",
    connections: 33,
    asked: { amount: 3000 },
    warmUpSeconds: 0,
    gateways: 1,
    clientThreads: 1,
    settings: {},
    contentBytes: null,
    source: null,
    sent: 3000,
    accepted: { events: 3000 },
    statuses: { "201": 3000 },
    errors: { non2xx: 0, timeouts: 0, unanswered: 0 },
    queue: { max: expect.any(Number) },
    audit: { acknowledged: 3000, stored: 3000, ranked: 3000, lost: 0, doubled: 0 },
    // Seed 5, 3,000 purchases. Another hash means another workload or other rankings.
    boardsHash: "bb387ba5a7cbd8a2",
  });
  for (const figure of ["accepted", "stored", "ranked"]) expect(report[figure].perSecond).toBeGreaterThan(0);
  for (const figure of ["mean", "p50", "p95", "p99", "p999", "max"])
    expect(report.latencyMs[figure]).toBeGreaterThan(0);
  for (const tier of ["gateway", "writer", "ranker", "broker", "database", "redis", "client", "total"]) {
    const usPerEvent = (report.cpuSeconds[tier] * 1e6) / 3000;
    expect([tier, usPerEvent / report.cpuUsPerEvent[tier]]).toEqual([tier, expect.closeTo(1, 1)]);
  }
  expect(report.littlesLaw.expectedPerSecond).toBeGreaterThan(0);
  expect(report.drainSeconds).toBeGreaterThanOrEqual(0);
  expect(Object.keys(report.versions)).toEqual(["node", "database", "broker", "redis"]);
  for (const name of ["runId", "at", "machine", "commit", "mode", "repeat"]) expect(output).toContain(report[name]);
  for (const [name, version] of Object.entries<string>(report.versions)) expect(output).toContain(`${name} ${version}`);
  expect(output).toContain("seed 5");
  expect(output).toContain("boards bb387ba5a7cbd8a2");
});

test("a scaled-down source sends the exact number of purchases and compares itself with the printed figures", async () => {
  const { output, report } = await bench("source", "S4", "--scale", "0.0034");
  const source = { name: "S4", runs: 13, scale: 0.0034 };
  expect(report).toMatchObject({
    source: "S4",
    scale: 0.0034,
    runs: [
      { accepted: { events: 2304 }, source: { ...source, run: 1, description: "256 stores" } },
      { accepted: { events: 4608 }, source: { ...source, run: 2, description: "512 stores" } },
    ],
  });
  expect(output).toContain("S4, 512 stores (run 2 of 13), scale 0.0034, 512 connections");
  expect(output).toContain("acknowledged 2304, stored 2304, ranked 2304");
  expect(output).toContain("acknowledged 4608, stored 4608, ranked 4608");
  expect(output).toContain("| 256 stores | queue in memory, single server | ");
});

test("a fill before the load is stored, ranked and audited, and not counted", async () => {
  const fill = ["--fill", "500", "--connections", "8"];
  const { report: ofReads } = await bench("--mix", "1", "--duration", "1", "--warm-up", "0.5", ...fill);
  expect(ofReads).toMatchObject({
    fill: { asked: 500, accepted: 500 },
    accepted: { events: 0 },
    audit: { acknowledged: 500, stored: 500, ranked: 500, lost: 0, doubled: 0 },
    agrees: true,
  });
  expect(ofReads.statuses).toEqual({ "200": ofReads.reads.requests });
});

test("a run beside busy loops is marked as disturbed", async () => {
  // A machine with many cores is disturbed by several loops.
  for (let loop = 0; loop < availableParallelism() / 4; loop++) {
    // In a separate process group, so the bench counts it as foreign.
    const child = spawn(process.execPath, ["-e", "process.title = 'busy-loop'; for (;;);"], {
      stdio: "ignore",
      detached: true,
    });
    onTestFinished(() => void child.kill("SIGKILL"));
  }
  const { output, report } = await bench("--amount", "400", "--rate", "400", "--connections", "8", "--fill", "500");
  expect(report).toMatchObject({
    sent: 400,
    accepted: { events: 400 },
    audit: { acknowledged: 900, stored: 900, ranked: 900, lost: 0, doubled: 0 },
    disturbance: {
      // Other tests may run beside this one.
      foreign: { largest: expect.arrayContaining([expect.objectContaining({ name: "busy-loop" })]) },
      steal: { percent: expect.any(Number) },
      calibration: { beforeNs: expect.any(Number), afterNs: expect.any(Number) },
      isDisturbed: true,
    },
  });
  expect(output).toMatch(/^The run was disturbed: foreign CPU [\d.]+ %/m);
});

test("synchronous: rankings are complete after a load of several seconds, which the ranker leaves alone", async () => {
  const load = ["--duration", "14", "--warm-up", "0", "--connections", "256"];
  expect((await bench("--design", "synchronous", ...load)).report).toMatchObject({
    agrees: null,
    audit: { lost: 0, doubled: 0 },
  });
});

test("synchronous: an event that needs several statements is stored once, too", async () => {
  const load = ["--domain", "swipes", "--amount", "3000", "--connections", "33", "--seed", "5"];
  expect((await bench("--design", "synchronous", ...load)).report).toMatchObject({
    audit: { acknowledged: 3000, stored: 3000, lost: 0, doubled: 0 },
    agrees: null,
    boardsHash: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
});

test("2xx responses without an event id count as lost, and the bench exits with 1", async () => {
  const preload = join(import.meta.dirname, "responses-without-id.fixture.ts");
  const load = ["--amount", "1000", "--connections", "33", "--set", `NODE_OPTIONS=--import=${preload}`];
  const run = await runBench(...load);
  expect(run.output + run.errors).toContain("100 of 1000 2xx responses had no event id: these events count as lost");
  expect(run).toMatchObject({
    exitCode: 1,
    report: { statuses: { "201": 1000 }, agrees: false, audit: { acknowledged: 1000, lost: 100, doubled: 0 } },
  });
});

test("on a terminal the bench shows the progress of its fill, warm-up and load", async () => {
  const flags = ["--connections", "64", "--fill", "20000", "--warm-up", "3", "--duration", "3"];
  const command = [process.execPath, benchMain, ...flags, "--results", await temporaryDirectory()].join(" ");
  // Gives the command a terminal.
  const { exitCode, output, errors } = await runProgram("script", ["-qec", command, "/dev/null"]);
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
  const [before = "", ...parts] = output.split("warming up");
  expect(before).toContain("filling with 20000 events");
  for (const part of [before, ...parts]) expect(part).toMatch(/requests [█░]{30} \d+ % \(\d+ of \d+, \d+\/s\)/);
});
