import { browserPath, openBrowser } from "./chromium.ts";
import type { Browser, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { atEnd } from "../kit/at-end.ts";

// `.ci/run` sets CHROMIUM, so that no page test is skipped there.
const executable = browserPath(process.env["CHROMIUM"]);
const skipped = executable === undefined ? " (skipped: no chromium or google-chrome in the PATH)" : "";

export interface PageOptions {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
}

export interface OpenedPage {
  readonly page: Page;
  /** Fails if the console had a warning or an error, or the page an exception, besides those that the test causes. */
  readonly expectNoFaults: (caused?: RegExp) => void;
}

/** A test in the machine's browser. Skipped on a machine without one, unless CHROMIUM names it. */
export function pageTest(name: string, run: () => Promise<void>): void {
  test.skipIf(executable === undefined)(`${name}${skipped}`, run, 120_000);
}

/** Opens pages in one browser for all tests of the file. */
export function openPages() {
  let browser: Promise<Browser> | undefined;
  atEnd(async () => (await browser)?.close());
  /** A new tab without storage, which closes with the test. */
  return async (url: string, { width = 1440, scheme = "light" }: PageOptions = {}): Promise<OpenedPage> => {
    browser ??= openBrowser(executable ?? "");
    const context = await (await browser).newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const faults: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.goto(url);
    return {
      page,
      expectNoFaults: (caused) => expect(faults.filter((fault) => caused?.test(fault) !== true)).toEqual([]),
    };
  };
}
