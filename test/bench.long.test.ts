import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { processesNaming } from "@tally/local";
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

/** A running bench and its output so far. */
async function running(...args: readonly string[]) {
  const results = await temporaryDirectory();
  const child = spawn(process.execPath, [benchMain, ...args, "--connections", "4", "--results", results], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  const folder = join(import.meta.dirname, "..", ".tally", `bench-${child.pid}`);
  const prints = (line: string) => vi.waitFor(() => expect(output).toContain(line), { timeout: 120_000, interval: 20 });
  return { child, folder, prints, exited: once(child, "exit"), output: () => output };
}

test("the next bench stops the servers and apps of a killed one", async () => {
  const killed = await running("--warm-up", "600");
  await killed.prints("warming up");
  killed.child.kill("SIGKILL");
  await killed.exited;
  expect(processesNaming(killed.folder).length).toBeGreaterThanOrEqual(7);
  const { output } = await bench("--amount", "50", "--connections", "4");
  expect(output).toContain("Stopping writer, left behind by an earlier run");
  expect(processesNaming(killed.folder)).toEqual([]);
  expect(existsSync(killed.folder)).toBe(false);
});

test("interrupted during the audit, the bench stops everything that it has started", async () => {
  const interrupted = await running("--amount", "50");
  await interrupted.prints("auditing");
  interrupted.child.kill("SIGINT");
  expect((await interrupted.exited)[0]).toBe(130);
  expect(processesNaming(interrupted.folder)).toEqual([]);
  expect(existsSync(interrupted.folder)).toBe(false);
  expect(interrupted.output()).toContain("interrupted; its servers are stopped");
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

test.each([
  "{}",
  "[]",
  "null",
  '{"source":"S4","table":[],"runs":[]}',
  '{"design":"bare","at":"","commit":"","accepted":{},"stored":{},"ranked":{},"reads":{},"cpuUsPerEvent":{}}',
  "no JSON",
])("a file that is not a report is rejected before the run that it would be compared with: %s", async (content) => {
  const file = join(await temporaryDirectory(), "other.json");
  await writeFile(file, content);
  // Nothing listens there, which a run would report.
  expect(await runBench("--target", "http://127.0.0.1:1", "--compare", file)).toMatchObject({
    exitCode: 2,
    output: "",
    errors: `--compare: ${file} is not a report of pnpm bench\n`,
  });
});

test("every design runs and reports its durability, its losses and only known figures; a comparison has all reports and the ratios of every round", async () => {
  const designs = "batched batched:transient per-message unconfirmed synchronous synchronous-unranked bare".split(" ");
  const flags = ["--rounds", "1", "--amount", "200", "--connections", "4"];
  const { exitCode, output, errors, report: compared } = await runBench("compare", ...designs, ...flags);
  const { ratios, runs } = compared;
  const known = { perSecond: expect.any(Number) };
  const unknown = { perSecond: null };
  const whole = { acknowledged: 200, stored: 200, ranked: 200, lost: 0, doubled: 0 };
  const confirmed = { durability: "confirmed", accepted: { events: 200 }, statuses: { "201": 200 } };
  expect(runs.map(({ contender }: { readonly contender: string }) => contender)).toEqual(designs);
  const [batched, transient, perMessage, unconfirmed, synchronous, unranked, bare] = runs.map(
    ({ report }: { readonly report: unknown }) => report,
  );
  const { boardsHash } = batched;
  const audited = { ...confirmed, stored: known, ranked: known, audit: whole, agrees: true, boardsHash };
  for (const report of [batched, perMessage]) expect(report).toMatchObject(audited);
  expect(transient).toMatchObject({ ...audited, durability: "transient" });
  // It may lose events: the report and the exit status say so.
  expect(unconfirmed).toMatchObject({
    durability: "persistent",
    accepted: { events: 200 },
    audit: { acknowledged: 200, lost: expect.any(Number) },
  });
  const isWhole = unconfirmed.audit.lost === 0 && unconfirmed.agrees === true;
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: isWhole ? 0 : 1, errors: "" });
  // Without a ledger only the number of rows and the boards can be checked.
  const rows = { ...confirmed, stored: known, audit: { ...whole, ranked: null }, agrees: null, followed: null };
  expect(synchronous).toMatchObject({ ...rows, ranked: known, drainSeconds: 0, boardsHash });
  expect(output).toContain("acknowledged 200, stored 200, ranked unknown  lost 0, doubled 0");
  expect(output).toContain("no ledger");
  for (const { observations, ...report } of [synchronous, unranked]) {
    expect(observations).toContainEqual(expect.objectContaining({ stored: null }));
    expect(report.stored.perSecond).toBe(report.accepted.perSecond);
  }
  expect(synchronous.ranked.perSecond).toBe(synchronous.accepted.perSecond);
  expect(unranked).toMatchObject({ ...rows, ranked: unknown, drainSeconds: null, boardsHash: null });
  const nothing = { stored: unknown, ranked: unknown, audit: null, agrees: null, boardsHash: null, followed: null };
  expect(bare).toMatchObject({ ...confirmed, ...nothing, drainSeconds: null });
  expect(ratios).toContainEqual({
    figure: "accepted /s",
    of: "batched",
    against: "bare",
    rounds: 1,
    low: batched.accepted.perSecond / bare.accepted.perSecond,
    median: expect.any(Number),
    high: expect.any(Number),
  });
});

test.each([
  [["--source", "S9"], "--source: expected one of S4, "],
  [["--domain", "lifts"], "--domain: there is no domain lifts; there are: purchases"],
  [["--source", "S4", "--zipf"], "--zipf is set by the source"],
  [["--amount", "600", "--warm-up", "3"], "--warm-up cannot be combined with --amount"],
  [["--target", "http://127.0.0.1:1", "--set", "A=b"], "--set cannot be combined with --target"],
  [["compare", "bare", "--amount", "600", "--duration", "3"], "--duration cannot be combined with --amount"],
  [["--source", "S4", "--fill", "9"], "--fill is set by the source"],
  [["--target", "http://127.0.0.1:1", "--fill", "9"], "--fill cannot be combined with --target"],
  [["compare", "batched", "bare", "--fill", "9"], "--fill: the design bare stores nothing"],
  [["--scale", "0.5"], "--scale needs --source"],
  [["--duration", "0"], "--duration: expected more than 0"],
  [["--duration", "2147484"], "--duration: expected more than 0 and at most 2147483 seconds"],
  [["--duration", "3", "--rate", "0.1"], "--rate: no request is due in 3 s at 0.1 a second"],
  [["--content-bytes", "1000"], "--content-bytes: events of purchases have no content"],
  [["--domain", "albums", "--content-bytes", "15728641"], "--content-bytes: expected at most 15728640"],
  [["--domain", "albums", "--zipf"], "--zipf: the load of albums does not depend on it"],
  [["--design", "bare", "--durability", "transient"], "--durability: the design bare sends nothing to the broker"],
  [["compare", "batched", "synchronous:transient"], "--durability: the design synchronous sends nothing to the broker"],
  [["--target", "http://127.0.0.1:1/base"], "expected an address such as http://127.0.0.1:8080, without a path"],
  [["--target", "127.0.0.1:8080"], "expected an address such as http://127.0.0.1:8080, without a path"],
  [["--target", "http://127.0.0.1:1", "--design", "bare"], "--design cannot be combined with --target"],
  [["--amount", "3"], "--amount: expected at least one for each connection"],
  [["--target", "http://127.0.0.1:1"], "http://127.0.0.1:1 does not respond"],
  [["--compare", "/no/such/file"], "--compare: ENOENT"],
  [["--results", join(benchMain, "results")], "--results: ENOTDIR"],
  [["compare", "fast"], 'there is no "fast"'],
  [["compare", "bare", "batched", "bare"], '"bare" is named twice'],
  [["compare", "bare@HEAD"], '"bare@HEAD": expected batched@ and a commit'],
  [["compare", "batched@no-such-tag"], "there is no commit no-such-tag in this clone"],
  [["compare", "batched@HEAD", "--gateways", "2"], "--gateways cannot be combined with a build"],
  [["compare", "batched", "--fail-below", "0.9"], "--fail-below needs a second design or build"],
  [["compare", "bare", "--csv", "x"], "--csv needs a single run"],
  [["compare", "bare", "--compare", "x"], "--compare needs a single run"],
  [["compare", "bare", "--design", "batched"], "--design is set by compare"],
  [["compare", "bare", "--target", "http://127.0.0.1:1"], "--target cannot be combined with compare"],
  // The app reports it.
  [
    ["--set", "BATCH_EVENTS_MAX=x", "--amount", "600"],
    'BATCH_EVENTS_MAX: expected a whole number from 1 to 10000, got "x"',
  ],
])("wrong usage is reported in a line: %s", async (args, message) => {
  const { exitCode, output, errors } = await runBench(...args);
  expect(exitCode).toBe(2);
  expect(output + errors).toContain(message);
  expect(output + errors).not.toMatch(/\n {4}at /);
});
