import { once } from "node:events";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "./at-end.ts";
import { benchMain, runBench, runProgram } from "./run-program.ts";

// Most of these start servers. The comparison of all designs takes longest.
vi.setConfig({ testTimeout: 10 * 60_000 });

/** Runs the bench, which must succeed. */
async function bench(...flags: readonly string[]) {
  const run = await runBench(...flags);
  expect(run).toMatchObject({ exitCode: 0 });
  return run;
}

test("purchases of a seed are all stored and ranked, the report has every figure, and the rankings are reproducible", async () => {
  const page = join(await temporaryDirectory(), "report.html");
  const { output, report } = await bench("--amount", "3000", "--connections", "33", "--seed", "5", "--html", page);
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
  expect(Math.abs(report.littlesLaw.errorPercent)).toBeLessThan(50);
  expect(report.drainSeconds).toBeGreaterThanOrEqual(0);
  const html = await readFile(page, "utf8");
  expect(html).toContain("uPlot");
  expect(Object.keys(report.versions)).toEqual(["node", "database", "broker", "redis"]);
  for (const text of [output, html]) {
    for (const name of ["runId", "at", "machine", "commit", "mode", "repeat"]) expect(text).toContain(report[name]);
    for (const [name, version] of Object.entries<string>(report.versions)) expect(text).toContain(`${name} ${version}`);
    expect(text).toContain("seed 5");
    expect(text).toContain("boards bb387ba5a7cbd8a2");
  }
  expect(html).not.toMatch(/(src|href)="?https?:/);
});

test("a scaled-down source sends the exact number of purchases and compares itself with the printed figures", async () => {
  const { output, report } = await bench("--source", "S4", "--scale", "0.0034");
  const source = { name: "S4", runs: 2, scale: 0.0034 };
  expect(report).toMatchObject({
    source: "S4",
    scale: 0.0034,
    runs: [
      { accepted: { events: 2304 }, source: { ...source, run: 1, description: "256 stores" } },
      { accepted: { events: 4608 }, source: { ...source, run: 2, description: "512 stores" } },
    ],
  });
  expect(output).toContain("S4, 512 stores (run 2 of 2), scale 0.0034, 512 connections");
  expect(output).toContain("acknowledged 2304, stored 2304, ranked 2304");
  expect(output).toContain("acknowledged 4608, stored 4608, ranked 4608");
  expect(output).toMatch(/\| 256 stores \| in memory \| 4293 \| \d+ \| [\d.]+ \| 299 \| [\d.]+ \| [\d.]+ \|/);
  expect(output).toMatch(/\| 512 stores \| persistent, without confirms \| 2804 \| \d+ \|/);
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
  expect((await bench("--amount", "100", "--rate", "400", ...fill)).report).toMatchObject({
    sent: 100,
    accepted: { events: 100 },
    audit: { acknowledged: 600, stored: 600, ranked: 600, lost: 0, doubled: 0 },
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
  const flags = ["--connections", "8", "--fill", "20000", "--warm-up", "3", "--duration", "3"];
  const command = [process.execPath, benchMain, ...flags, "--results", await temporaryDirectory()].join(" ");
  // Gives the command a terminal.
  const { exitCode, output, errors } = await runProgram("script", "-qec", command, "/dev/null");
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
  // A bar starts by saving the position of the cursor.
  const [before = "", ...bars] = output.split("\u001B7");
  expect(before).toContain("filling with 20000 events");
  expect(bars[0]).toContain("warming up");
  expect(bars).toHaveLength(3);
  for (const bar of bars) expect(bar).toMatch(/[=-]{20,} \d+ % \| \d+ requests/);
});

/** A running system that accepts everything at once. */
async function elsewhere(onPost: () => void = () => undefined): Promise<string> {
  const id = "01a1fb30-2980-71ee-89cd-4f71757df440";
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "POST") onPost();
    if (request.method === "POST") response.writeHead(201, { "Tally-Event-Id": id }).end();
    else response.end('{"stored":true,"ranked":true}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

test("figures that are unknown for a running system are null, not 0", async () => {
  const target = await elsewhere();
  const directory = await temporaryDirectory();
  const file = (name: string) => join(directory, name);
  const flags = ["--target", target, "--amount", "500", "--connections", "5"];
  const files = ["--json", file("json"), "--csv", file("csv"), "--html", file("html")];
  const { output, errors } = await bench(...flags, ...files);
  expect(errors).toBe("");
  const { cpuUsPerEvent, cpuSeconds, ...report } = JSON.parse(await readFile(file("json"), "utf8"));
  const nulls = { gateway: null, writer: null, ranker: null, broker: null, database: null, redis: null };
  expect(report).toMatchObject({
    target,
    gateways: null,
    design: "unknown",
    durability: "unknown",
    accepted: { events: 500 },
    stored: { perSecond: null },
    ranked: { perSecond: null },
    drainSeconds: null,
    queue: { max: null, verdict: null },
    memoryMiB: nulls,
    reads: { requests: 0, latencyMs: null },
    audit: null,
    agrees: null,
  });
  for (const cpu of [cpuUsPerEvent, cpuSeconds]) expect(cpu).toMatchObject({ ...nulls, total: null });
  expect(cpuUsPerEvent.client).toBeGreaterThan(0);
  for (const figure of ["stored", "ranked", "queues", "memory MiB"])
    expect(output).toMatch(new RegExp(`^${figure} +unknown`, "m"));
  expect(await readFile(file("html"), "utf8")).toMatch(/^queues +unknown/m);
  expect(await readFile(file("csv"), "utf8")).toMatch(/^run,second,accepted,read,failed,p50_ms,p99_ms\n/);
  const again = await bench(...flags, "--compare", file("json"));
  expect(again.output).toMatch(/^accepted \/s +\d+ +\d+ +[\d.]+$/m);
  expect(again.output).not.toMatch(/^stored \/s +\d/m);
});

test("no figure includes the warm-up", async () => {
  let posts = 0;
  const flags = ["--target", await elsewhere(() => posts++), "--connections", "2", "--duration", "0.5"];
  const sentWith = async (warmUp: string) => {
    posts = 0;
    const { sent, accepted, statuses } = (await bench(...flags, "--warm-up", warmUp)).report;
    expect([accepted.events, statuses["201"]]).toEqual([sent, sent]);
    return { sent, before: posts - sent };
  };
  expect((await sentWith("0")).before).toBe(0);
  const { sent, before } = await sentWith("0.5");
  expect(sent).toBeGreaterThan(0);
  expect(before).toBeGreaterThan(0);
});

test("a file that cannot be written is reported in a line, and the stored report and other files are written", async () => {
  const [results, csv] = [await temporaryDirectory(), await temporaryDirectory()];
  const [json, html] = [join(benchMain, "report.json"), join(csv, "new", "folder", "report.html")];
  const flags = ["--target", await elsewhere(), "--amount", "20", "--connections", "2", "--results", results];
  const { exitCode, output, errors } = await runBench(...flags, "--json", json, "--csv", csv, "--html", html);
  expect(exitCode).toBe(2);
  const [jsonLine, csvLine, ...more] = errors.trim().split("\n");
  expect(jsonLine).toMatch(`--json: ${json} cannot be written: EEXIST`);
  expect(csvLine).toMatch(`--csv: ${csv} cannot be written: EISDIR`);
  expect(more).toEqual([]);
  expect(await readFile(html, "utf8")).toContain("uPlot");
  const [stored, page] = readdirSync(results).toSorted().toReversed();
  expect(output).toContain(`stored as ${join(results, stored ?? "")}\npage with plots: ${join(results, page ?? "")}\n`);
  expect(JSON.parse(await readFile(join(results, stored ?? ""), "utf8"))).toMatchObject({ accepted: { events: 20 } });
  expect(page).toBe(stored?.replace(/json$/, "html"));
});
