import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { browserPath, openBrowser } from "@tally/bench/chromium";
import { startPrivateServices, startSystem, type System } from "@tally/local";
import type { Browser } from "playwright-core";
import { rejectedSale } from "./reject.ts";
import { bulk, saleOf, seed } from "./seed.ts";
import { views } from "./views.ts";
import { withPalette } from "./with-palette.ts";

/* `pnpm screenshots`: starts a system, sells for a minute, and writes the pictures of docs/screenshots. */

const root = join(import.meta.dirname, "..", "..");
const pictures = join(root, "docs", "screenshots");
const directory = join(root, ".tally", `screenshots-${process.pid}`);

/** The pictures that documents show. */
const pictured = [
  { name: "store", file: "store-phone.png", size: [390, 844], colorScheme: "light" },
  { name: "pipeline", file: "pipeline-desktop-dark.png", size: [1440, 900], colorScheme: "dark" },
] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const system = await startSystem({
  root,
  directory,
  database: "tally_screenshots_test",
  namespace: "screenshots",
  services: startPrivateServices,
  environment: { PATH: process.env["PATH"] },
  say,
});
const stopped = new AbortController();
try {
  await seed(system);
  await rejectedSale(system, 7);
  const selling = sell(system, stopped.signal);
  const browser = await openBrowser(browserPath(process.env["CHROMIUM"]) ?? "");
  try {
    await takeAll(browser);
  } finally {
    stopped.abort();
    await browser.close();
    await selling;
  }
} finally {
  await system.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Sales with changing rates, so that the curves show something. */
async function sell({ url }: System, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const amount = Math.round(60 + 40 * Math.sin(round / 12));
    await bulk(
      url,
      Array.from({ length: amount }, (_, index) => {
        const rank = Math.floor(12 * ((index * 0.618 + round * 0.37) % 1) ** 2);
        return saleOf(1 + ((index + round) % 12), 80_000 + (1 + rank) * 571, 1);
      }),
    );
    await delay(200);
  }
}

async function takeAll(browser: Browser): Promise<void> {
  await mkdir(pictures, { recursive: true });
  for (const { name, file, size, colorScheme } of pictured) {
    const [width, height] = size;
    const { hash = "", heading = "" } = views.find((view) => view.name === name) ?? {};
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await page.goto(`${system.url}/${hash}`);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.locator(".message.waiting").first().waitFor({ state: "hidden" });
    // The curves need some time to have a shape.
    await delay(name === "pipeline" ? 40_000 : 500);
    const picture = await page.screenshot({ fullPage: true, animations: "disabled" });
    await writeFile(join(pictures, file), withPalette(picture));
    say(file);
    await page.close();
  }
}
