import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { benchMain, runBench } from "./run-bench.ts";

const within = 5 * 60_000;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-bench-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const bench = (...args: readonly string[]) => runBench(directory, ...args);

test(
  "so many purchases of a seed: all stored and ranked, the report has every figure, and the rankings are always the same",
  async () => {
    const file = join(directory, "report.json");
    const page = join(directory, "report.html");
    const flags = ["--amount", "3000", "--connections", "33", "--seed", "5", "--json", file, "--html", page];
    const { exitCode, output, errors } = await bench(...flags);
    expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
    const report = JSON.parse(await readFile(file, "utf8"));
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
      // Seed 5, 3,000 purchases. Another hash is another workload, or other rankings.
      boardsHash: "bb387ba5a7cbd8a2",
    });
    for (const figure of ["accepted", "stored", "ranked"]) expect(report[figure].perSecond).toBeGreaterThan(0);
    for (const figure of ["mean", "p50", "p95", "p99", "p999", "max"])
      expect(report.latencyMs[figure]).toBeGreaterThan(0);
    for (const tier of ["gateway", "writer", "ranker", "broker", "database", "redis", "client", "total"])
      expect([tier, (report.cpuSeconds[tier] * 1e6) / 3000 / report.cpuUsPerEvent[tier]]).toEqual([
        tier,
        expect.closeTo(1, 1),
      ]);
    expect(Math.abs(report.littlesLaw.errorPercent)).toBeLessThan(50);
    expect(report.drainSeconds).toBeGreaterThanOrEqual(0);
    const html = await readFile(page, "utf8");
    expect(html).toContain("uPlot");
    expect(Object.keys(report.versions)).toEqual(["node", "database", "broker", "redis"]);
    for (const told of [output, html]) {
      for (const name of ["runId", "at", "machine", "commit", "mode", "repeat"]) expect(told).toContain(report[name]);
      for (const [name, version] of Object.entries<string>(report.versions))
        expect(told).toContain(`${name} ${version}`);
      expect(told).toContain("seed 5");
      expect(told).toContain("boards bb387ba5a7cbd8a2");
    }
    expect(html).not.toMatch(/(src|href)="?https?:/);
  },
  within,
);

test(
  "a source's run, much shorter: exactly as many purchases as its stores have, beside what was printed",
  async () => {
    const file = join(directory, "source.json");
    const { exitCode, output, errors } = await bench("--source", "S4", "--scale", "0.0034", "--json", file);
    expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      source: "S4",
      scale: 0.0034,
      runs: [
        { accepted: { events: 2304 }, source: { name: "S4", run: 1, runs: 2, says: "256 stores", scale: 0.0034 } },
        { accepted: { events: 4608 }, source: { name: "S4", run: 2, runs: 2, says: "512 stores", scale: 0.0034 } },
      ],
    });
    expect(output).toContain("S4, 512 stores (run 2 of 2), scale 0.0034, 512 connections");
    expect(output).toContain("acknowledged 2304, stored 2304, ranked 2304");
    expect(output).toContain("acknowledged 4608, stored 4608, ranked 4608");
    expect(output).toMatch(/\| 256 stores \| in memory \| 4293 \| \d+ \| [\d.]+ \| 299 \| [\d.]+ \| [\d.]+ \|/);
    expect(output).toMatch(/\| 512 stores \| persistent, without confirms \| 2804 \| \d+ \|/);
  },
  within,
);

test(
  "a fresh stack is filled before what is measured, with POSTs that are stored and ranked, audited and not counted",
  async () => {
    const file = join(directory, "filled.json");
    const fill = ["--fill", "500", "--connections", "8", "--json", file];
    const reads = await bench("--mix", "1", "--duration", "1", "--warm-up", "0.5", ...fill);
    expect(reads).toMatchObject({ exitCode: 0 });
    const ofReads = JSON.parse(await readFile(file, "utf8"));
    expect(ofReads).toMatchObject({
      fill: { asked: 500, accepted: 500 },
      accepted: { events: 0 },
      audit: { acknowledged: 500, stored: 500, ranked: 500, lost: 0, doubled: 0 },
      agrees: true,
    });
    expect(ofReads.statuses).toEqual({ "200": ofReads.reads.requests });
    expect(await bench("--amount", "100", "--rate", "400", ...fill)).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      sent: 100,
      accepted: { events: 100 },
      audit: { acknowledged: 600, stored: 600, ranked: 600, lost: 0, doubled: 0 },
    });
  },
  within,
);

/** A bench that is under way, and what it has said so far. */
function running(...args: readonly string[]) {
  const child = spawn(process.execPath, [benchMain, ...args, "--results", directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  const folder = join(import.meta.dirname, "..", ".tally", `bench-${child.pid}`);
  const says = (line: string) => vi.waitFor(() => expect(output).toContain(line), { timeout: 120_000, interval: 20 });
  return { child, folder, says, exited: once(child, "exit"), output: () => output };
}

/** The processes whose command or environment names a folder. */
function processesOf(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return ["cmdline", "environ"].some((file) => readFileSync(`/proc/${pid}/${file}`, "latin1").includes(folder));
    } catch {
      return false; // it has ended, or is nobody's
    }
  });
}

test(
  "what a bench that was killed has left running is ended when the next one begins",
  async () => {
    const killed = running("--warm-up", "600", "--connections", "4");
    await killed.says("warming up");
    killed.child.kill("SIGKILL");
    await killed.exited;
    expect(processesOf(killed.folder).length).toBeGreaterThanOrEqual(7);
    const { exitCode, output, errors } = await bench("--amount", "50", "--connections", "4");
    expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
    expect(output).toContain("Stopping writer, left behind by an earlier run");
    expect(processesOf(killed.folder)).toEqual([]);
    expect(existsSync(killed.folder)).toBe(false);
  },
  within,
);

test(
  "interrupted while it audits, the bench ends with everything that it has started",
  async () => {
    const interrupted = running("--amount", "50", "--connections", "4");
    await interrupted.says("auditing");
    interrupted.child.kill("SIGINT");
    expect((await interrupted.exited)[0]).toBe(130);
    expect(processesOf(interrupted.folder)).toEqual([]);
    expect(existsSync(interrupted.folder)).toBe(false);
    expect(interrupted.output()).toContain("interrupted; its servers are stopped");
  },
  within,
);

/** A system that runs elsewhere: takes everything, and is quick about it. */
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

test("what cannot be known of a system that runs elsewhere is null, and no figure of it a zero", async () => {
  const target = await elsewhere();
  const [json, csv, html] = ["json", "csv", "html"].map((kind) => join(directory, `target.${kind}`));
  const flags = ["--target", target, "--amount", "500", "--connections", "5"];
  const files = ["--json", json ?? "", "--csv", csv ?? "", "--html", html ?? ""];
  const { exitCode, output, errors } = await bench(...flags, ...files);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
  const written = await readFile(json ?? "", "utf8");
  const { cpuUsPerEvent, cpuSeconds, ...report } = JSON.parse(written);
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
    expect(output).toMatch(new RegExp(`^${figure} +not known`, "m"));
  expect(await readFile(html ?? "", "utf8")).toMatch(/^queues +not known/m);
  expect((await readFile(csv ?? "", "utf8")).split("\n")[0]).toBe("run,second,accepted,read,failed,p50_ms,p99_ms");
  const again = await bench(...flags, "--compare", json ?? "");
  expect(again.output).toMatch(/^accepted \/s +\d+ +\d+ +[\d.]+$/m);
  expect(again.output).not.toMatch(/^stored \/s +\d/m);
}, 60_000);

test("what the warm-up sends is in no figure", async () => {
  let posts = 0;
  const flags = ["--target", await elsewhere(() => posts++), "--connections", "2", "--duration", "0.5"];
  const file = join(directory, "warm.json");
  const sentWith = async (warmUp: string) => {
    posts = 0;
    expect(await bench(...flags, "--warm-up", warmUp, "--json", file)).toMatchObject({ exitCode: 0 });
    const { sent, accepted, statuses } = JSON.parse(await readFile(file, "utf8"));
    expect([accepted.events, statuses["201"]]).toEqual([sent, sent]);
    return { sent, before: posts - sent };
  };
  expect((await sentWith("0")).before).toBe(0);
  const { sent, before } = await sentWith("0.5");
  expect(sent).toBeGreaterThan(0);
  expect(before).toBeGreaterThan(0);
}, 60_000);

test("a file that cannot be written is told in a line, and takes neither the stored report nor another file with it", async () => {
  const results = join(directory, "kept");
  const [json, csv, html] = [
    join(benchMain, "report.json"),
    directory,
    join(directory, "new", "folder", "report.html"),
  ];
  const flags = ["--target", await elsewhere(), "--amount", "20", "--connections", "2", "--results", results];
  const { exitCode, output, errors } = await bench(...flags, "--json", json, "--csv", csv, "--html", html);
  expect(exitCode).toBe(2);
  const [jsonLine, csvLine, ...more] = errors.trim().split("\n");
  expect(jsonLine).toMatch(`--json: ${json} cannot be written: EEXIST`);
  expect(csvLine).toMatch(`--csv: ${csv} cannot be written: EISDIR`);
  expect(more).toEqual([]);
  expect(await readFile(html, "utf8")).toContain("uPlot");
  const [stored, page] = readdirSync(results).toSorted().toReversed();
  expect(output).toContain(`stored as ${join(results, stored ?? "")}`);
  expect(JSON.parse(await readFile(join(results, stored ?? ""), "utf8"))).toMatchObject({ accepted: { events: 20 } });
  expect(page).toBe(stored?.replace(/json$/, "html"));
}, 60_000);

test.each([
  "{}",
  "[]",
  "null",
  '{"source":"S4","table":[],"runs":[]}',
  '{"design":"bare","at":"","commit":"","accepted":{},"stored":{},"ranked":{},"reads":{},"cpuUsPerEvent":{}}',
  "no JSON",
])("what is no report of a run is refused before the run that it shall be compared with: %s", async (content) => {
  const file = join(directory, "other.json");
  await writeFile(file, content);
  // Nobody listens there: a run would tell that.
  const { exitCode, output, errors } = await bench("--target", "http://127.0.0.1:1", "--compare", file);
  expect({ exitCode, output, errors }).toEqual({
    exitCode: 2,
    output: "",
    errors: `--compare: ${file} is no report of a run of pnpm bench\n`,
  });
});

test(
  "every design runs, and tells what its answer means, what it has lost and no more than can be known; a comparison has all reports and the ratios of every round",
  async () => {
    const file = join(directory, "compared.json");
    const designs = [
      "batched",
      "batched:transient",
      "per-message",
      "unconfirmed",
      "synchronous",
      "synchronous-unranked",
      "bare",
    ];
    const flags = ["--rounds", "1", "--amount", "200", "--connections", "4", "--json", file];
    const { exitCode, output, errors } = await bench("compare", ...designs, ...flags);
    const { ratios, runs } = JSON.parse(await readFile(file, "utf8"));
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
    // It promises nothing: what it has lost is told, and by the status too.
    expect(unconfirmed).toMatchObject({
      durability: "persistent",
      accepted: { events: 200 },
      audit: { acknowledged: 200, lost: expect.any(Number) },
    });
    const isWhole = unconfirmed.audit.lost === 0 && unconfirmed.agrees === true;
    expect({ exitCode, output, errors }).toMatchObject({ exitCode: isWhole ? 0 : 1, errors: "" });
    // Without a ledger: as many rows as answers and the same boards is all that can be known.
    const rows = { ...confirmed, stored: known, audit: { ...whole, ranked: null }, agrees: null, followed: null };
    expect(synchronous).toMatchObject({ ...rows, ranked: known, drainSeconds: 0, boardsHash });
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
  },
  2 * within,
);

test(
  "a setting that an app does not take is told as the app tells it, without a stack",
  async () => {
    const { exitCode, output, errors } = await bench("--set", "BATCH_EVENTS_MAX=abc", "--amount", "600");
    expect(exitCode).toBe(2);
    expect(errors).toContain('BATCH_EVENTS_MAX: expected a whole number from 1 to 10000, got "abc"');
    expect(output + errors).not.toMatch(/\n {4}at /);
  },
  within,
);

test.each([
  [["--source", "S9"], "--source: expected one of S4, "],
  [["--domain", "lifts"], "--domain: there is no domain lifts; there are: purchases"],
  [["--source", "S4", "--zipf"], "--zipf is not asked for: the source says it"],
  [["--amount", "600", "--warm-up", "3"], "--warm-up does not go with --amount"],
  [["--target", "http://127.0.0.1:1", "--set", "A=b"], "--set does not go with --target"],
  [["compare", "bare", "--amount", "600", "--duration", "3"], "--duration does not go with --amount"],
  [["--source", "S4", "--fill", "9"], "--fill is not asked for: the source says it"],
  [["--target", "http://127.0.0.1:1", "--fill", "9"], "--fill does not go with --target"],
  [["compare", "batched", "bare", "--fill", "9"], "--fill: nothing is stored in the design bare"],
  [["--scale", "0.5"], "--scale goes with --source"],
  [["--duration", "0"], "--duration: expected more than 0"],
  [["--duration", "2147484"], "--duration: expected more than 0 and at most 2147483 seconds"],
  [["--duration", "3", "--rate", "0.1"], "--rate: no request is due in 3 s at 0.1 a second"],
  [["--content-bytes", "1000"], "--content-bytes: events of purchases have no content"],
  [["--domain", "albums", "--content-bytes", "15728641"], "--content-bytes: expected at most 15728640"],
  [["--domain", "albums", "--zipf"], "--zipf: the load of albums is always the same"],
  [["--design", "bare", "--durability", "transient"], "--durability: the design bare sends nothing to the broker"],
  [["compare", "batched", "synchronous:transient"], "--durability: the design synchronous sends nothing to the broker"],
  [["--target", "http://127.0.0.1:1/base"], "--target: expected an address as http://127.0.0.1:8080, without a path"],
  [["--target", "127.0.0.1:8080"], "--target: expected an address as http://127.0.0.1:8080, without a path"],
  [["--target", "http://127.0.0.1:1", "--design", "bare"], "--design does not go with --target"],
  [["--amount", "3"], "--amount: expected at least one for each connection"],
  [["--target", "http://127.0.0.1:1"], "http://127.0.0.1:1 does not answer"],
  [["--compare", "/no/such/file"], "--compare: ENOENT"],
  [["--results", join(benchMain, "results")], "--results: ENOTDIR"],
  [["compare", "fast"], 'there is no "fast"'],
  [["compare", "bare", "batched", "bare"], '"bare" is named twice'],
  [["compare", "bare", "--csv", "x"], "--csv goes with one run"],
  [["compare", "bare", "--compare", "x"], "--compare goes with one run"],
  [["compare", "bare", "--design", "batched"], "--design is what compare is about"],
  [["compare", "bare", "--target", "http://127.0.0.1:1"], "--target does not go with compare"],
])("wrong usage is told in a line: %s", async (args, told) => {
  const { exitCode, output, errors } = await bench(...args);
  expect(exitCode).toBe(2);
  expect(output + errors).toContain(told);
  expect(output + errors).not.toMatch(/\n {4}at /);
});
