import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { browserPath as pathOf, openBrowser } from "@tally/lab/chromium";

/** The browser that the environment or the machine offers; undefined: none. `.ci/run` sets CHROMIUM, so that no page test is skipped there. */
export const browserPath = pathOf(process.env["CHROMIUM"]);

/** Opens a page in a new headless browser, which closes when the test finishes. Cost: 1 to 3 s. */
export async function openPage(url: string, colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const browser = await openBrowser(browserPath ?? "");
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ colorScheme });
  await page.goto(url);
  return page;
}
