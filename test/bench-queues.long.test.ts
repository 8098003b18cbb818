import { expect, test } from "vitest";
import { runBench } from "./kit/programs.ts";

test("designs with other queues, one database, and a balancer lose and double nothing, and have the same rankings", async () => {
  const designs = ["classic", "primary-reads", "balanced", "balanced-synchronous"];
  const flags = ["--rounds", "1", "--amount", "200", "--connections", "4", "--gateways", "2"];
  const { exitCode, output, errors, report } = await runBench("compare", ...designs, ...flags);
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0, errors: "" });
  const runs: readonly { readonly contender: string; readonly report: { readonly boardsHash: string } }[] = report.runs;
  expect(runs.map(({ contender }) => contender)).toEqual(designs);
  const last = runs.at(-1)?.report;
  for (const run of runs.slice(0, -1))
    expect(run.report).toMatchObject({
      accepted: { events: 200 },
      statuses: { "201": 200 },
      agrees: true,
      audit: { acknowledged: 200, stored: 200, ranked: 200, lost: 0, doubled: 0 },
    });
  // Without a ledger only the number of rows and the boards can be checked.
  const whole = { acknowledged: 200, stored: 200, ranked: null, lost: 0, doubled: 0 };
  expect(last).toMatchObject({ accepted: { events: 200 }, statuses: { "201": 200 }, audit: whole });
  expect(new Set(runs.map((run) => run.report.boardsHash)).size).toBe(1);
  expect(output).toContain("classic: a 2xx means on the disk of one node of the broker");
  for (const design of designs.slice(1, -1))
    expect(output).toContain(`${design}: a 2xx means on disk at a majority of the broker's nodes`);
}, 600_000);
