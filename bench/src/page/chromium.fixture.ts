import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

const folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The browser that the environment or the machine offers; undefined: none. `.ci/run` sets CHROMIUM, so that no page test is skipped there. */
export const browserPath =
  process.env["CHROMIUM"] ??
  folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  // The browser opens no connection that the page does not ask for.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens a page in a new headless browser. The browser closes when the test finishes. Cost: 1 to 3 s. */
export async function openPage(url: string): Promise<Page> {
  const browser = await chromium.launch({ executablePath: browserPath ?? "", args: flags });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}
