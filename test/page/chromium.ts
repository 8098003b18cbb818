import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";

const folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The browser that `named` or the machine offers; undefined: none. */
export function browserPath(named: string | undefined): string | undefined {
  return named ?? folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  // The browser opens no connection that the page does not ask for.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts a headless browser. Cost: 1 to 3 s. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags });
}
