import { join } from "node:path";
import { expect, test } from "vitest";
import { benchReport } from "./run-bench.ts";

const timeout = 5 * 60_000;

test("synchronous: an event that needs several statements is stored once, too", { timeout }, async () => {
  const load = ["--domain", "swipes", "--amount", "3000", "--connections", "33", "--seed", "5"];
  const { exitCode, output, errors, report } = await benchReport("--design", "synchronous", ...load);
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0 });
  expect(report).toMatchObject({
    audit: { acknowledged: 3000, stored: 3000, lost: 0, doubled: 0 },
    agrees: null,
    boardsHash: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
});

test("2xx responses without an event id count as lost, and the bench exits with 1", { timeout }, async () => {
  const preload = join(import.meta.dirname, "responses-without-id.fixture.ts");
  const load = ["--amount", "1000", "--connections", "33", "--set", `NODE_OPTIONS=--import=${preload}`];
  const { exitCode, output, errors, report } = await benchReport(...load);
  expect({ exitCode, output, errors }).toMatchObject({ exitCode: 1 });
  expect(output + errors).toContain("100 of 1000 2xx responses had no event id: these events count as lost");
  expect(report).toMatchObject({
    statuses: { "201": 1000 },
    agrees: false,
    audit: { acknowledged: 1000, lost: 100, doubled: 0 },
  });
});
