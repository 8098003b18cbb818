import { join } from "node:path";
import { expect, vi } from "vitest";
import { temporaryDirectory } from "../at-end.ts";
import { startSystem } from "../start-system.ts";
import { accessibilityFaults, overflowing, overlapping } from "./inspect.ts";
import { openPages, pageTest } from "./open-page.ts";
import { rejectedSale } from "./reject.ts";
import { writeReports } from "./reports.ts";
import { seed } from "./seed.ts";
import { views } from "./views.ts";

/* Each view with data, on a desktop and on a phone, in light and in dark. */

const reports = join(await temporaryDirectory(), "results");
await writeReports(reports);
const system = await startSystem({ RUNS_FOLDER: reports });
await seed(system);
await rejectedSale(system, 7);
const open = openPages();

for (const { name, hash, heading } of views) {
  for (const width of [1440, 390]) {
    pageTest(
      `${name} at ${width} px: no serious finding of axe, nothing cut off, no error in the console`,
      async () => {
        const { page, expectNoFaults } = await open(`${system.url}/${hash}`, { width });
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        await vi.waitFor(async () => expect(await page.locator(".message.waiting").count()).toBe(0), 20_000);
        for (const scheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          await vi.waitFor(async () => expect(await overflowing(page)).toEqual([]), 10_000);
          await vi.waitFor(async () => expect(await overlapping(page)).toEqual([]), 10_000);
          await vi.waitFor(async () => expect(await accessibilityFaults(page)).toEqual([]), 20_000);
        }
        expect(await page.locator(".message.problem").allTextContents()).toEqual([]);
        expectNoFaults();
      },
    );
  }
}

pageTest("boards show what the domains describe, albums with their pictures", async () => {
  const { page, expectNoFaults } = await open(`${system.url}/#/boards/liftrides/top-skiers`);
  const bars = page.locator(".bars li");
  await vi.waitFor(async () => expect(await bars.count()).toBe(10), 20_000);
  // Skier 1004 took lift 38.
  expect(await bars.first().textContent()).toMatch(/1004.*380/);
  await page.getByRole("link", { name: "Steps of a day" }).click();
  await vi.waitFor(async () => expect(await bars.count()).toBe(10), 20_000);
  await page.getByRole("link", { name: "Most liked users" }).click();
  await vi.waitFor(async () => expect(await bars.first().textContent()).toMatch(/3\d{3}/), 20_000);
  await page.getByRole("link", { name: "Top albums" }).click();
  const shown = `[...document.querySelectorAll(".gallery img")].filter((image) => image.naturalWidth > 0).length`;
  await vi.waitFor(async () => expect(await page.evaluate(shown)).toBe(8), 20_000);
  await page.getByRole("combobox", { name: "By" }).selectOption("dislikes");
  await page.getByRole("button", { name: "Show" }).click();
  await vi.waitFor(async () => expect(await page.locator(".gallery li").count()).toBe(2), 20_000);
  expect(page.url()).toContain("by=dislikes");
  expectNoFaults();
});

pageTest("two runs stand side by side, and a drill shows its faults", async () => {
  const { page, expectNoFaults } = await open(`${system.url}/#/runs`);
  const boxes = page.getByRole("checkbox");
  await vi.waitFor(async () => expect(await boxes.count()).toBe(3), 20_000);
  await page.getByRole("checkbox", { name: /faults/ }).check();
  await page.getByRole("rowheader", { name: "Faults" }).waitFor();
  await page.getByRole("cell", { name: "database-primary" }).waitFor();
  await page.getByRole("checkbox", { name: /faults/ }).uncheck();
  for (const box of await page.getByRole("checkbox", { name: /batched/ }).all()) await box.check();
  const accepted = page.getByRole("row", { name: /^Accepted/ });
  // The newest run is listed first, so it is A. After the first box the row has that run alone.
  await vi.waitFor(
    async () =>
      expect(await accepted.getByRole("cell").allTextContents()).toEqual(["9,180 /s", "8,000 /s", "−12.9 % worse"]),
    20_000,
  );
  expect(
    await page
      .getByRole("row", { name: /^Foreign CPU/ })
      .getByRole("cell")
      .allTextContents(),
  ).toEqual(["–", "12.5 %", "–"]);
  await page.getByText("* disturbed:").waitFor();
  // Failures alone are red, and a height is the same value in A and in B: the slower run's line is lower.
  const strokes = `Object.fromEntries([...document.querySelectorAll(".legend li")].map((item) => [
    item.textContent.trim().split(" ")[0], getComputedStyle(item.querySelector("line")).stroke]))`;
  const isRed = (color: string): boolean => {
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number);
    return red > 1.5 * green && red > 1.5 * blue;
  };
  const drawn: Readonly<Record<string, string>> = await page.evaluate(strokes);
  expect(Object.entries(drawn).map(([label, color]) => [label, isRed(color)])).toEqual([
    ["accepted", false],
    ["reads", false],
    ["failed", true],
    ["p50", false],
    ["p99", false],
  ]);
  await vi.waitFor(async () => {
    const [a = Infinity, b = 0] = await page.evaluate<readonly number[]>(topsOfAccepted);
    expect(b - a).toBeGreaterThan(10);
  }, 20_000);
  expectNoFaults();
});

/** The highest pixel of the line "accepted" in each chart of requests, in px from the top. */
const topsOfAccepted = `[...document.querySelectorAll(".chart")]
  .filter((chart) => chart.querySelector(".line-accepted") !== null)
  .map((chart) => {
    const canvas = chart.querySelector("canvas");
    const [red, green, blue] = getComputedStyle(chart.querySelector(".line-accepted")).stroke.match(/\\d+/g).map(Number);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const isLine = (at) => data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255;
    for (let at = 0; at < data.length; at += 4) if (isLine(at)) return Math.floor(at / 4 / canvas.width);
    return -1;
  })`;
