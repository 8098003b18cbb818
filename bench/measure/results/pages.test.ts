import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openBrowser } from "../../kit/chromium.ts";
import { browserPath, drawn, reason } from "../page/chromium.fixture.ts";
import { printedSources } from "../printed/printed-sources.ts";
import { lessonOf } from "./lessons/lessons.ts";
import { sampleRun, sampleRuns } from "./stored-run.fixture.ts";
import { pagesOf, writeAll } from "./write-pages.ts";

/* In a real browser. Skipped on a machine without one, unless CHROMIUM names it. */

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-pages-"));
  await writeAll(directory, await pagesOf(sampleRuns()));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Opens a page from its file, and collects what its console reports. */
async function opened(name: string, javaScriptEnabled = true) {
  const browser = await openBrowser(browserPath ?? "");
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ javaScriptEnabled, viewport: { width: 1100, height: 900 } });
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("requestfailed", (request) => problems.push(`${request.url()} failed`));
  await page.goto(pathToFileURL(join(directory, name)).href);
  return { page, problems };
}

const plotted: Readonly<Record<string, number>> = { S0: 6, S1: 4, S2: 2, S3: 2, S4: 6 };

test.skipIf(browserPath === undefined).each(printedSources)(
  `the page of $name has every printed row with ours, its plots are drawn, and nothing fails${reason}`,
  async ({ name, rows }) => {
    const { page, problems } = await opened(`${name}.html`);
    const lines = plotted[name];
    await vi.waitFor(
      async () =>
        expect(await page.evaluate(drawn)).toEqual([
          ["Requests a second", lines, true],
          ["p99 by second", lines, true],
          ["Messages in the queues", lines, true],
          ["POST by percentile", lines, true],
        ]),
      { timeout: 60_000 },
    );
    const kinds = `Object.fromEntries([...document.querySelectorAll("#rows tbody")].map((body) => [
      body.dataset.row,
      [...body.rows].map((row) => row.className),
    ]))`;
    const expected = rows.map(({ id, beside }) => [
      id,
      "reason" in beside ? ["printed", "absent"] : expect.arrayContaining(["printed", "ours"]),
    ]);
    expect(await page.evaluate(kinds)).toEqual(Object.fromEntries(expected));
    const rates = `document.querySelectorAll("#rates .bar.printed").length`;
    expect(await page.evaluate(rates)).toBe(rows.filter(({ perSecond }) => perSecond !== undefined).length);
    const changes = `document.querySelectorAll("#changes tbody tr").length`;
    expect(await page.evaluate(changes)).toBe(lessonOf(name).changes.length);
    expect(await page.evaluate(`document.body.scrollWidth <= document.documentElement.clientWidth`)).toBe(true);
    expect(problems).toEqual([]);
  },
);

test.skipIf(browserPath === undefined)(`a page shows its tables without JavaScript${reason}`, async () => {
  const { page, problems } = await opened("S4.html", false);
  expect(await page.locator("#rows tbody").count()).toBe(33);
  expect(await page.locator("noscript").textContent()).toContain("need JavaScript");
  expect(problems).toEqual([]);
});

test.skipIf(browserPath === undefined)(`the first page leads to the page of every source${reason}`, async () => {
  const { page, problems } = await opened("index.html");
  for (const { name } of printedSources) {
    await page.locator(`#sources a[href="${name}.html"]`).click();
    await vi.waitFor(async () => expect(await page.title()).toContain(`${name}, `), { timeout: 60_000 });
    await page.locator("nav a", { hasText: "All sources" }).click();
  }
  expect(problems).toEqual([]);
});

test("pages are small, the same for the same runs, and name no other host", async () => {
  const runs = sampleRuns();
  const [pages, again] = [await pagesOf(runs), await pagesOf(structuredClone(runs))];
  for (const [name, content] of pages) {
    expect([name, content.length < 200_000]).toEqual([name, true]);
    expect(content).not.toMatch(/(src|href)="?https?:/);
    expect(again.get(name)).toBe(content);
  }
});

test("a run beside other work and a run with a part of the requests are marked on the page", async () => {
  const run = sampleRun({ isDisturbed: true, scale: 0.25 });
  const page = (await pagesOf([run])).get("S4.html") ?? "";
  expect(page).toContain("ours: batched, confirmed, 1 gateway (scale 0.25, disturbed)");
  expect(page).toContain('<tr class="disturbed"><th scope="row">256 stores</th>');
  const all = (await pagesOf(sampleRuns({ isDisturbed: true }))).get("S4.html") ?? "";
  expect(all).toMatch(/<td>[\d.]+ \(disturbed\)<\/td>/);
  expect(all).toContain("(ours: disturbed)");
  const parts = (await pagesOf(sampleRuns({ isDisturbed: true, scale: 0.25 }))).get("S4.html") ?? "";
  expect(parts).toContain("256 stores, queue in memory, single server (ours: scale 0.25, disturbed)</span>");
  expect(parts).toContain('"label":"256 stores, transient, scale 0.25, disturbed"');
});

test("a change is shown with runs of the same size where there are two, and the table has what the machine did", async () => {
  const ofS1 = { source: "S1", load: "32 threads", durability: "confirmed" } as const;
  const balanced = { ...ofS1, design: "balanced", gateways: 2, scale: 0.1, perSecond: 400 };
  const runs = [
    sampleRun({ ...ofS1, perSecond: 1000, foreignPercent: 1.5, stealPercent: null }),
    sampleRun({ ...balanced, calibration: { beforeNs: 4.1, changePercent: -2 } }),
  ];
  const row = /load balancer, 32 threads<\/th><td>[\d.]+<\/td><td>([^<]+)</;
  const page = (await pagesOf(runs)).get("S1.html") ?? "";
  expect(row.exec(page)?.[1]).toBe("0.40 (different scales)");
  expect(page).toContain("<td>1.5 %</td><td>unknown</td>");
  expect(page).toContain("<td>4.1 ns, -2 %</td>");
  const more = [...runs, sampleRun({ ...ofS1, perSecond: 800, scale: 0.1 })];
  expect(row.exec((await pagesOf(more)).get("S1.html") ?? "")?.[1]).toBe("0.50");
});
