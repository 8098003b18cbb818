import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { chromium, type Browser, type Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { atEnd } from "@tally/local/at-end";

const installed = "/{usr/bin,usr/local/bin,snap/bin}/{chromium,chromium-browser,google-chrome,google-chrome-stable}";
// `.ci/run` sets CHROMIUM, so that no page test is skipped there.
const executable = process.env["CHROMIUM"] ?? globSync(installed)[0];
// The browser opens no connection that the page does not ask for.
const isolated = ["background-networking", "component-update", "sync"].map((name) => `--disable-${name}`);
const skipped = executable === undefined ? " (skipped: no chromium or google-chrome in the PATH)" : "";

/** A test in the machine's browser. Skipped on a machine without one, unless CHROMIUM names it. */
export function pageTest(name: string, run: () => Promise<void>): void {
  test.skipIf(executable === undefined)(`${name}${skipped}`, run);
}

/** Follows the link that downloads a panel, and returns the name and the content of the file. */
export async function downloaded(page: Page, panel: string) {
  const started = page.waitForEvent("download");
  await page.getByRole("link", { name: `Download ${panel}`, exact: true }).press("Enter");
  const file = await started;
  return { name: file.suggestedFilename(), content: await readFile(await file.path(), "utf8") };
}

/** Opens pages in one browser for all tests of the file. */
export function openPages() {
  let browser: Promise<Browser> | undefined;
  atEnd(async () => (await browser)?.close());
  /** A new tab without storage, which closes with the test. `expectNoFaults`: fails if the console had a warning or an
   * error, or the page an exception, besides those that the test causes. */
  return async (url: string, { width = 1440, ...zone }: { width?: number; timezoneId?: string } = {}) => {
    browser ??= chromium.launch({
      executablePath: executable ?? "",
      timeout: 120_000,
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", ...isolated],
      // Its language decides in which order a date is typed.
      env: { ...process.env, LANGUAGE: "en_US", LC_ALL: "en_US.UTF-8" },
    });
    const context = await (await browser).newContext({ viewport: { width, height: 900 }, timezoneId: "UTC", ...zone });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const faults: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.goto(url);
    return {
      page,
      expectNoFaults: (caused?: RegExp): void =>
        expect(faults.filter((fault) => caused?.test(fault) !== true)).toEqual([]),
    };
  };
}
