import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

const main = join(import.meta.dirname, "..", "bench", "src", "main.ts");
const within = 5 * 60_000;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-bench-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs the bench as its users do. */
async function bench(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args, "--results", directory], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { exitCode, output, errors };
}

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
      accepted: { events: 3000 },
      statuses: { "201": 3000 },
      errors: { non2xx: 0, timeouts: 0, unanswered: 0 },
      queue: { verdict: "plateau" },
      audit: { acknowledged: 3000, stored: 3000, ranked: 3000, lost: 0, doubled: 0 },
      // Seed 5, 3,000 purchases. Another hash is another workload, or other rankings.
      boardsHash: "bb387ba5a7cbd8a2",
    });
    for (const figure of ["accepted", "stored", "ranked"]) expect(report[figure].perSecond).toBeGreaterThan(0);
    for (const figure of ["mean", "p50", "p95", "p99", "p999", "max"])
      expect(report.latencyMs[figure]).toBeGreaterThan(0);
    for (const tier of ["gateway", "writer", "ranker", "broker", "database", "redis", "client", "total"])
      expect([tier, report.cpuUsPerEvent[tier] > 0]).toEqual([tier, true]);
    expect(Math.abs(report.littlesLaw.errorPercent)).toBeLessThan(50);
    expect(report.drainSeconds).toBeGreaterThanOrEqual(0);
    const html = await readFile(page, "utf8");
    expect(html).toContain("uPlot");
    expect(html).not.toMatch(/(src|href)="?https?:/);
  },
  within,
);

test(
  "a source's run, much shorter: exactly as many purchases as its stores have, beside what was printed",
  async () => {
    const { exitCode, output, errors } = await bench("--source", "S4", "--scale", "0.0034");
    expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
    expect(output).toContain("acknowledged 2304, stored 2304, ranked 2304");
    expect(output).toContain("acknowledged 4608, stored 4608, ranked 4608");
    expect(output).toMatch(/\| 256 stores \| in memory \| 4293 \| \d+ \| [\d.]+ \| 299 \| [\d.]+ \| [\d.]+ \|/);
    expect(output).toMatch(/\| 512 stores \| persistent, without confirms \| 2804 \| \d+ \|/);
  },
  within,
);

test.each([
  [["--source", "S9"], "--source: expected one of S4, "],
  [["--domain", "lifts"], "--domain: there is no domain lifts; there are: purchases"],
  [["--amount", "3"], "--amount: expected at least one for each connection"],
  [["--target", "http://127.0.0.1:1"], "http://127.0.0.1:1 is not ready"],
  [["--compare", "/no/such/file"], "--compare: "],
  [["compare", "fast"], 'there is no "fast"'],
])("wrong usage is told in a line: %s", async (args, told) => {
  const { exitCode, output, errors } = await bench(...args);
  expect(exitCode).toBeGreaterThan(0);
  expect(output + errors).toContain(told);
  expect(output + errors).not.toMatch(/\n {4}at /);
});
