import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { browserPath, drawn, openPage, reason } from "../page/chromium.fixture.ts";
import { connections, sampleResult, sampleSweep } from "./sweep.fixture.ts";
import { sweepPage } from "./sweep-page.ts";

const figures = [
  [
    [100, 9],
    [300, 5],
  ],
  [[50, 1]],
  [],
] as const;

test("a page of a sweep is one file with its table, its choice and links to its runs", async () => {
  const result = sampleResult(figures);
  const options = { choice: "best: <64>", limitMs: 50 };
  const page = await sweepPage(result, { ...options, turns: [] });
  expect(page).toContain("best: &lt;64&gt;");
  expect(page).toContain("<td>200 (100 to 300)</td><td>7.0 (5.0 to 9.0)</td>");
  expect(page).not.toMatch(/(src|href)="?https?:/);
  expect(page).not.toContain("<h2>Runs</h2>");
});

test.skipIf(browserPath === undefined)(
  `a sweep over two settings has a line for each value of the second${reason}`,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "tally-page-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const shards = { name: "shards", variable: "RANKING_SHARDS", values: ["1", "4"] };
    const result = sampleResult([...figures, ...figures], sampleSweep([connections, shards]));
    const file = join(directory, "page.html");
    await writeFile(file, await sweepPage(result, { choice: undefined, limitMs: 50, turns: [] }));
    const page = await openPage(pathToFileURL(file).href);
    await vi.waitFor(
      async () =>
        expect(await page.evaluate(drawn)).toEqual([
          ["Throughput, ranked /s", 2, true],
          ["Latency p99, limit 50 ms", 2, true],
          ["CPU per event, without the client", 2, true],
        ]),
      { timeout: 60_000 },
    );
  },
);
