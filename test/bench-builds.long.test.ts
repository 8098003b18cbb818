import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { processesNaming } from "@tally/local";
import { expect, test } from "vitest";
import { runBench } from "./kit/programs.ts";

const timeout = 10 * 60_000;

test("a commit is installed, started by its own launcher, and compared with this checkout", { timeout }, async () => {
  const load = ["--amount", "2000", "--connections", "16", "--set", "BATCH_EVERY_MS=5"];
  // More than any ratio: the exit status is 1 for that reason alone, because both runs are good.
  const flags = ["--rounds", "1", "--fail-below", "100", ...load];
  const { exitCode, output, errors, report: compared } = await runBench("compare", "batched", "batched@HEAD", ...flags);
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 1, errors: "" });
  expect(output).toMatch(/^batched \/ batched@HEAD: ranked \/s [\d.]+, below 100$/m);
  const { runs, ratios } = compared;
  expect(runs.map(({ contender }: { readonly contender: string }) => contender)).toEqual(["batched", "batched@HEAD"]);
  const [own, build] = runs.map(({ report }: { readonly report: unknown }) => report);
  const { boardsHash, settings } = own;
  const whole = { acknowledged: 2000, stored: 2000, ranked: 2000, lost: 0, doubled: 0 };
  const expected = { accepted: { events: 2000 }, audit: whole, agrees: true, boardsHash, settings };
  expect(own).toMatchObject({ ...expected, design: "batched" });
  expect(build).toMatchObject({ ...expected, design: expect.stringMatching(/^batched@[0-9a-f]{7}$/) });
  const figures = ["ranked /s", "p50 ms", "p99 ms", "CPU µs/event"];
  for (const figure of [...figures, "  gateway", "  writer", "  ranker", "  broker", "  database", "  redis"])
    expect(ratios).toContainEqual(expect.objectContaining({ figure, against: "batched@HEAD", rounds: 1 }));
  const builds = join(import.meta.dirname, "..", ".tally", "builds-");
  expect(processesNaming(builds)).toEqual([]);
  expect(execFileSync("git", ["worktree", "list"], { encoding: "utf8" })).not.toContain(builds);
});
