import { once } from "node:events";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { bench, benchMain, runProgram, runReported } from "./kit/programs.ts";

/* The bench against a server that it has not started. */

vi.setConfig({ testTimeout: 5 * 60_000 });

/** A running system that accepts everything at once. */
async function elsewhere(onPost: () => unknown = () => undefined): Promise<string> {
  const id = "01a1fb30-2980-71ee-89cd-4f71757df440";
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== "POST") response.end('{"stored":true,"ranked":true}');
    else void Promise.resolve(onPost()).then(() => response.writeHead(201, { "tally-event-id": id }).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

test("figures that are unknown for a running system are null, not 0", async () => {
  const target = await elsewhere();
  const { output, errors, report: whole } = await bench("--target", target, "--amount", "500", "--connections", "5");
  expect(errors).toBe("");
  const { cpuUsPerEvent, cpuSeconds, ...report } = whole;
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
    queue: { max: null, isFull: false },
    disturbance: { foreign: null },
    memoryMiB: nulls,
    reads: { requests: 0, latencyMs: null },
    audit: null,
    agrees: null,
  });
  for (const cpu of [cpuUsPerEvent, cpuSeconds]) expect(cpu).toMatchObject({ ...nulls, total: null });
  expect(cpuUsPerEvent.client).toBeGreaterThan(0);
  for (const figure of ["stored", "ranked", "queues", "memory MiB"])
    expect(output).toMatch(new RegExp(`^${figure} +unknown`, "m"));
  expect(output).toContain("foreign CPU unknown");
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

test("a sweep runs every value in each round, in another order, and chooses the best one", async () => {
  const results = await temporaryDirectory();
  const load = ["--connections", "2,4", "--target", await elsewhere(), "--amount", "60", "--rounds", "2"];
  const sweep = await runReported("bench", "sweep", ...load, "--within-p99", "10000", "--results", results);
  expect(sweep).toMatchObject({ exitCode: 0, errors: "" });
  const rounds = [...sweep.output.matchAll(/^round (\d) of 2, connections (\d): accepted \/s \d+/gm)];
  expect(rounds.map(([, round, value]) => `${round} ${value}`)).toEqual(["1 2", "1 4", "2 4", "2 2"]);
  expect(sweep.report).toMatchObject({
    throughput: "accepted /s",
    best: { withinP99Ms: 10_000, within: 0.1, point: [expect.stringMatching(/^[24]$/)] },
    settings: [
      { point: ["2"], runs: 2, isGood: true },
      { point: ["4"], runs: 2, isGood: true },
    ],
  });
  expect(sweep.output).toMatch(/^best within p99 10000 ms: connections [24] \(accepted \/s \d+, p99 [\d.]+ ms\)$/m);
  expect(readdirSync(results)).toHaveLength(4);
});

test("a file that cannot be written is reported in a line, and the stored report is written", async () => {
  const results = await temporaryDirectory();
  const json = join(benchMain, "report.json");
  const flags = ["--target", await elsewhere(), "--amount", "20", "--connections", "2", "--results", results];
  const { exitCode, output, errors } = await runProgram(process.execPath, [benchMain, ...flags, "--json", json]);
  expect(exitCode).toBe(2);
  expect(errors).toMatch(`--json: ${json} cannot be written: EEXIST`);
  const [stored = ""] = readdirSync(results);
  expect(output).toContain(`stored as ${join(results, stored)}`);
  expect(JSON.parse(await readFile(join(results, stored), "utf8"))).toMatchObject({ accepted: { events: 20 } });
});
