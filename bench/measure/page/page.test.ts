import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sampleReport } from "../report.fixture.ts";
import type { Report } from "../report.ts";
import { browserPath, drawn, openPage, reason } from "./chromium.fixture.ts";
import { pageOf } from "./page.ts";

/* In a real browser. Skipped on a machine without one, unless CHROMIUM names it. */

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-page-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function opened(report: Report, colorScheme?: "light" | "dark") {
  const file = join(directory, `${report.runId}.html`);
  await writeFile(file, await pageOf(report));
  return openPage(pathToFileURL(file).href, colorScheme);
}

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
        ["Share of requests up to a latency", 1, true],
        ["Messages in the queues", 1, true],
        ["Cores busy, by tier", 8, true],
        ["Events stored so far", 1, true],
      ]),
    { timeout: 60_000 },
  );
});

test.skipIf(browserPath === undefined)(`a target's page plots the known figures${reason}`, async () => {
  const page = await opened(sampleReport({ observations: [], latencyMs: null, histogram: [], cdf: [] }));
  await vi.waitFor(async () => expect(await page.evaluate(drawn)).toHaveLength(2), { timeout: 60_000 });
});

const reads = { requests: 9, perSecond: 3, latencyMs: null };
const colours = `Object.fromEntries(
  [...document.querySelectorAll("figure:first-child .u-series .u-marker")].map((marker) => [
    marker.nextElementSibling.textContent,
    getComputedStyle(marker).borderColor,
  ]),
)`;
const ground = `getComputedStyle(document.body).backgroundColor`;

/** Whether red dominates a colour such as `rgb(207, 34, 46)`. */
function isRed(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
  return red > 1.5 * green && red > 1.5 * blue;
}

pageTest(
  "red is the colour of failures only, on a light and on a dark ground, also when the scheme changes",
  async () => {
    const page = await opened(sampleReport({ reads }), "dark");
    const expectColours = () =>
      vi.waitFor(
        async () => {
          const drawnWith: Readonly<Record<string, string>> = await page.evaluate(colours);
          const red = Object.entries(drawnWith).map(([label, colour]) => [label, isRed(colour)]);
          expect(Object.fromEntries(red)).toMatchObject({ accepted: false, reads: false, failed: true });
          return drawnWith;
        },
        { timeout: 30_000 },
      );
    const dark = await expectColours();
    expect(await page.evaluate(ground)).toBe("rgb(13, 17, 23)");
    await page.emulateMedia({ colorScheme: "light" });
    await vi.waitFor(async () => expect(await page.evaluate(colours)).not.toEqual(dark), { timeout: 20_000 });
    await expectColours();
    expect(await page.evaluate(ground)).toBe("rgb(255, 255, 255)");
  },
);

pageTest(
  "the first figures are what is kept, how much and how fast; each phase has its colour in the plots",
  async () => {
    const second = { accepted: 5, read: 0, failed: 0, p50: 1, p99: 2 };
    const page = await opened(
      sampleReport({
        phases: [
          { name: "warm-up", begun: -10, ended: -5 },
          { name: "drain", begun: -5, ended: -4 },
          { name: "measured", begun: 0, ended: 3 },
        ],
        before: [{ begun: -10, perSecond: Array.from({ length: 5 }, () => second), observations: [] }],
        errors: { ...sampleReport().errors, non2xx: 2 },
      }),
    );
    const headline = `[...document.querySelectorAll("#headline > div")].map((card) => [card.querySelector("dt").textContent, card.className])`;
    expect(await page.evaluate(headline)).toEqual([
      ["Audit", ""],
      ["Accepted", ""],
      ["Stored", ""],
      ["Ranked", ""],
      ["Latency p99", ""],
      ["CPU per event", ""],
      ["Foreign CPU, steal", ""],
      ["Failed requests", "bad"],
    ]);
    const isBeforePlots = `document.querySelector("#headline").compareDocumentPosition(document.querySelector("#plots")) === Node.DOCUMENT_POSITION_FOLLOWING`;
    expect(await page.evaluate(isBeforePlots)).toBe(true);
    // At the right edge of a band, in the middle of the first plot: there is no line, no name and no grid.
    const colourIn = (seconds: number) =>
      page.evaluate(`(() => {
    const plot = document.querySelector("figure canvas");
    const { left, width } = document.querySelector("figure .u-over").getBoundingClientRect();
    const share = (${seconds} + 10) / 13;
    const ratio = plot.width / plot.getBoundingClientRect().width;
    const x = Math.round((left - plot.getBoundingClientRect().left + share * width) * ratio);
    return [...plot.getContext("2d").getImageData(x, Math.round(plot.height * 0.3), 1, 1).data].join(" ");
  })()`);
    await vi.waitFor(
      async () => {
        const all = [await colourIn(-5.2), await colourIn(-4.2), await colourIn(-2.2), await colourIn(2.8)];
        expect(new Set(all).size).toBe(4);
        expect(all[2]).toBe("0 0 0 0");
      },
      { timeout: 30_000 },
    );
  },
);

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
  await vi.waitFor(async () => expect(await page.evaluate(drawn)).toHaveLength(7), { timeout: 60_000 });
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: paperPx, height: 1000 });
  await vi.waitFor(async () => expect(await page.evaluate(wrongOnPaper)).toEqual([]), { timeout: 20_000 });
});
