import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runBench } from "./run-bench.ts";

test(
  "2xx responses without an event id count as lost, and the bench exits with 1",
  { timeout: 5 * 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tally-bench-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "report.json");
    const preload = join(import.meta.dirname, "responses-without-id.fixture.ts");
    const load = ["--amount", "1000", "--connections", "33", "--json", file];
    const set = `NODE_OPTIONS=--import=${preload}`;
    const { exitCode, output, errors } = await runBench(folder, ...load, "--set", set);
    expect({ exitCode, output, errors }).toMatchObject({ exitCode: 1 });
    expect(output + errors).toContain("100 of 1000 2xx responses had no event id: these events count as lost");
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      statuses: { "201": 1000 },
      agrees: false,
      audit: { acknowledged: 1000, lost: 100, doubled: 0 },
    });
  },
);
