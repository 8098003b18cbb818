import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { bench, benchMain, runBench, runReported } from "./kit/programs.ts";

/* The bench against a server that it has not started. */

vi.setConfig({ testTimeout: 5 * 60_000 });

/** A running system that accepts everything at once. */
async function elsewhere(onPost: () => unknown = () => undefined): Promise<string> {
  const id = "01a1fb30-2980-71ee-89cd-4f71757df440";
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== "POST") response.end('{"stored":true,"ranked":true}');
    else void Promise.resolve(onPost()).then(() => response.writeHead(201, { "Tally-Event-Id": id }).end());
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
  const perRequest = ["--requests-csv", file("requests"), "--cdf-csv", file("cdf")];
  const files = ["--json", file("json"), "--csv", file("csv"), "--html", file("html"), ...perRequest];
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
  expect(await readFile(file("cdf"), "utf8")).toMatch(/^run,method,latency_ms,share\n.*,POST,[\d.]+,0\n/);
  const [head, ...requests] = (await readFile(file("requests"), "utf8")).trimEnd().split("\n");
  expect(head).toBe("start_ms,method,latency_ms,status");
  expect(requests).toHaveLength(500);
  for (const line of requests) expect(line).toMatch(/^\d+\.\d{3},POST,\d+\.\d{3},201$/);
  expect(report).toMatchObject({
    requestLog: { file: file("requests"), lines: 500, leftOut: 0, failure: null },
    disturbance: { foreign: null },
  });
  expect(output).toContain("foreign CPU unknown");
  const against = [...flags, "--compare", file("json"), "--fail-below"];
  const slower = await runBench(...against, "1000");
  expect(slower).toMatchObject({ exitCode: 1, errors: "" });
  expect(slower.output).toMatch(/^this run \/ unknown, 2\S+Z: accepted \/s [\d.]+, below 1000$/m);
  const again = await bench(...against, "0.001");
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

test("a killed sweep goes on where it was, and a later sweep is compared with its result", async () => {
  let posts = 0;
  const held = Promise.withResolvers<void>();
  // Nothing is accepted after the first run of the second round has begun.
  const target = await elsewhere(() => (++posts > 150 ? held.promise : undefined));
  const results = await temporaryDirectory();
  const load = ["--connections", "2,4", "--target", target, "--amount", "60", "--rounds", "2"];
  const killed = spawn(process.execPath, [benchMain, "sweep", ...load, "--results", results], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void killed.kill("SIGKILL"));
  let printed = "";
  killed.stdout.on("data", (data: Buffer) => (printed += data.toString()));
  await vi.waitFor(() => expect(printed).toContain("round 1 of 2, connections 4: accepted /s "), 120_000);
  await vi.waitFor(() => expect(posts).toBeGreaterThan(150), 60_000);
  const folder = join(results, readdirSync(results)[0] ?? "");
  const beside = await runReported("bench", "sweep", "--resume", folder);
  expect(beside).toMatchObject({ exitCode: 2, output: expect.not.stringContaining("round ") });
  expect(beside.errors).toMatch(`Process ${killed.pid} already runs tally in ${folder}.`);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  held.resolve();

  const first = join(folder, "round-1_connections-2.json");
  const before = await readFile(first, "utf8");
  const resumed = await runReported("bench", "sweep", "--resume", folder, "--within-p99", "10000");
  expect(resumed).toMatchObject({ exitCode: 0, errors: "" });
  const rounds = resumed.output.split("\n").filter((line) => line.startsWith("round "));
  expect(rounds.map((line) => /^round (\d) of 2, connections (\d)/.exec(line)?.slice(1).join(" "))).toEqual([
    "1 2",
    "1 4",
    "2 4",
    "2 2",
  ]);
  const stored = rounds.map((line) => line.endsWith(", measured before the interruption"));
  expect(stored).toEqual([true, true, false, false]);
  expect(await readFile(first, "utf8")).toBe(before);
  expect(resumed.report).toMatchObject({
    throughput: "accepted /s",
    best: { withinP99Ms: 10_000, within: 0.1, point: [expect.stringMatching(/^[24]$/)] },
    settings: [
      { point: ["2"], runs: 2, isGood: true },
      { point: ["4"], runs: 2, isGood: true },
    ],
  });
  expect(resumed.output).toMatch(/^best within p99 10000 ms: connections [24] \(accepted \/s \d+, p99 [\d.]+ ms\)$/m);
  expect(await readFile(join(folder, "page.html"), "utf8")).toContain("round-2_connections-4.html");

  const again = ["sweep", "--resume", folder, "--compare", join(folder, "result.json"), "--fail-below"];
  expect(await runReported("bench", ...again, "1")).toMatchObject({ exitCode: 0, errors: "" });
  const slower = await runReported("bench", ...again, "1.1");
  expect(slower).toMatchObject({ exitCode: 1, errors: "" });
  expect(slower.output).toContain(
    "\nconnections 2: accepted /s 1.00, below 1.1\nconnections 4: accepted /s 1.00, below 1.1\n",
  );
  expect(await runReported("bench", "sweep", "--resume", folder, "--seed", "2")).toMatchObject({
    exitCode: 2,
    errors: "--seed cannot be combined with --resume: the sweep has its own\n",
  });
  const other = join(folder, "round-2_connections-4.json");
  await copyFile(first, other);
  expect(await runReported("bench", "sweep", "--resume", folder)).toMatchObject({
    exitCode: 2,
    errors: `--resume: ${other}: connections: expected 4, got 2; delete the file to measure it again\n`,
  });
});

test("no file is replaced before the load begins, and no input at all", async () => {
  const [directory, results] = [await temporaryDirectory(), await temporaryDirectory()];
  const file = join(directory, "day.ndjson");
  await writeFile(file, "kept");
  const nowhere = ["--target", "http://127.0.0.1:1", "--results", results];
  const unreachable = await runBench(...nowhere, "--requests-csv", file);
  expect(unreachable).toMatchObject({ exitCode: 2, errors: expect.stringContaining("does not respond") });
  const target = ["--target", await elsewhere(), "--amount", "20", "--connections", "2", "--results", results];
  await bench(...target, "--json", join(directory, "report.json"));
  const compared = ["--compare", join(directory, "report.json"), "--csv", join(directory, ".", "report.json")];
  expect(await runBench(...target, ...compared)).toMatchObject({
    exitCode: 2,
    errors: `--csv: expected another file than that of --compare, got ${join(directory, "report.json")}\n`,
  });
  expect(await readFile(file, "utf8")).toBe("kept");
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
