import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { browserPath as pathOf, openBrowser } from "../../kit/chromium.ts";

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

/** The end of the name of a test that needs a browser: why it is skipped. */
export const reason = browserPath === undefined ? " (skipped: no chromium or google-chrome in the PATH)" : "";

/** Evaluated in a page: title and number of lines of each plot, and whether anything is on its canvas. */
export const drawn = `[...document.querySelectorAll("#plots figure")].map((figure) => [
  figure.querySelector("figcaption").textContent,
  Number(figure.dataset.drawn),
  [...figure.querySelector("canvas").getContext("2d").getImageData(0, 0, 2000, 2000).data].some((value) => value > 0),
])`;
