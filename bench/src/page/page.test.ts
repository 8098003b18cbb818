import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sampleReport } from "../report.fixture.ts";
import type { Report } from "../report.ts";
import { browserPath, openPage } from "./chromium.fixture.ts";
import { pageOf } from "./page.ts";

/* In a real browser. Skipped on a machine without one, unless CHROMIUM names it. */

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-page-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function opened(report: Report) {
  const file = join(directory, `${report.runId}.html`);
  await writeFile(file, await pageOf(report));
  return openPage(pathToFileURL(file).href);
}

const drawn = `[...document.querySelectorAll("figure")].map((figure) => [
  figure.querySelector("figcaption").textContent,
  Number(figure.dataset.drawn),
  [...figure.querySelector("canvas").getContext("2d").getImageData(0, 0, 2000, 2000).data].some((value) => value > 0),
])`;

const reason = browserPath === undefined ? " (skipped: no chromium or google-chrome in the PATH)" : "";
const pageTest = (name: string, run: () => Promise<void>) =>
  test.skipIf(browserPath === undefined)(`${name}${reason}`, run);

pageTest("every plot of a page renders", async () => {
  const page = await opened(sampleReport());
  await vi.waitFor(
    async () =>
      expect(await page.evaluate(drawn)).toEqual([
        ["2xx a second", 2, true],
        ["Latency by second", 2, true],
        ["Latency by percentile", 1, true],
        ["Messages in the queues", 1, true],
        ["Cores busy, by tier", 6, true],
        ["Events stored so far", 1, true],
      ]),
    { timeout: 60_000 },
  );
});

test.skipIf(browserPath === undefined)(`a target's page plots the known figures${reason}`, async () => {
  const page = await opened(sampleReport({ observations: [], latencyMs: null, histogram: [] }));
  await vi.waitFor(async () => expect(await page.evaluate(drawn)).toHaveLength(2), { timeout: 60_000 });
});

const paperPx = 718;
const wrongOnPaper = `[
  ...[...document.querySelectorAll("figure")].flatMap((figure) => {
    const { left, right, top } = figure.getBoundingClientRect();
    const outside = [...figure.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > right + 1);
    return [
      ...outside.map((one) => one.tagName + "." + one.className + " outside its figure: " + one.getBoundingClientRect().right + " > " + right),
      ...(left < 0 || right > ${paperPx} ? ["a figure beside the paper"] : []),
      ...(getComputedStyle(figure).breakInside === "avoid" ? [] : ["a figure on two pages"]),
    ];
  }),
  ...(getComputedStyle(document.querySelector("pre")).backgroundColor === "rgba(0, 0, 0, 0)" ? [] : ["a text on a dark ground"]),
]`;

// A4 without the margins that browsers leave.
pageTest("on paper no plot is cut off, split across pages, or on top of another", async () => {
  const page = await opened(sampleReport());
  await vi.waitFor(async () => expect(await page.evaluate(drawn)).toHaveLength(6), { timeout: 60_000 });
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: paperPx, height: 1000 });
  await vi.waitFor(async () => expect(await page.evaluate(wrongOnPaper)).toEqual([]), { timeout: 20_000 });
});
