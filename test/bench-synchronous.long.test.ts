import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runBench } from "./run-bench.ts";

const within = 5 * 60_000;

/** Runs the bench as its users do, and returns its report. */
async function bench(...flags: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "tally-bench-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "report.json");
  const { exitCode, output, errors } = await runBench(folder, "--json", file, ...flags);
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
  return { output, report: JSON.parse(await readFile(file, "utf8")) };
}

const load = ["--amount", "3000", "--connections", "33", "--seed", "5"];

test(
  "synchronous stores a row for each 2xx, and its rankings equal those of the batched design",
  async () => {
    const { report, output } = await bench("--design", "synchronous", ...load);
    expect(report).toMatchObject({
      statuses: { "201": 3000 },
      agrees: null,
      audit: { acknowledged: 3000, stored: 3000, ranked: null, lost: 0, doubled: 0 },
      // As the batched design with the same seed and amount.
      boardsHash: "bb387ba5a7cbd8a2",
      observations: expect.arrayContaining([expect.objectContaining({ stored: null })]),
    });
    expect(report.stored.perSecond).toBe(report.accepted.perSecond);
    expect(report.ranked.perSecond).toBe(report.accepted.perSecond);
    expect(output).toContain("acknowledged 3000, stored 3000, ranked unknown  lost 0, doubled 0");
    expect(output).toContain("no ledger");
  },
  within,
);

test(
  "synchronous-unranked stores a row for each 2xx, and reports no rankings",
  async () => {
    const { report } = await bench("--design", "synchronous-unranked", ...load);
    expect(report).toMatchObject({
      audit: { acknowledged: 3000, stored: 3000, ranked: null, lost: 0, doubled: 0 },
      agrees: null,
      boardsHash: null,
      ranked: { perSecond: null },
    });
    expect(report.stored.perSecond).toBe(report.accepted.perSecond);
  },
  within,
);

test(
  "an event that needs several statements is stored once, too",
  async () => {
    const { report } = await bench("--design", "synchronous", "--domain", "swipes", ...load);
    expect(report).toMatchObject({
      audit: { acknowledged: 3000, stored: 3000, lost: 0, doubled: 0 },
      agrees: null,
      boardsHash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  },
  within,
);
