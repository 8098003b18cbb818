import { expect, vi } from "vitest";
import { accessibilityFaults, overflowing, overlapping } from "./inspect.ts";
import { openPages, pageTest } from "./open-page.ts";
import { rejectedSale } from "./reject.ts";
import { seed } from "./seed.ts";
import { views } from "./views.ts";
import { startSystem } from "../kit/system.ts";

/* Each view with data, on a desktop and on a phone, in light and in dark. */

const system = await startSystem();
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
