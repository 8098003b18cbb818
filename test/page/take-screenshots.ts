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

/* `pnpm screenshots`: starts a system, sells for half a minute, and writes a picture of each view into docs/screenshots. */

const root = join(import.meta.dirname, "..", "..");
const pictures = join(root, "docs", "screenshots");
const directory = join(root, ".tally", `screenshots-${process.pid}`);

const widths = { desktop: [1440, 900], phone: [390, 844] } as const;
// Their layout is that of another view; views.long.test.ts looks at all of them.
const notPictured = new Set(["stores", "steps", "swipes"]);
const alsoDark = new Set(["store", "pipeline"]);

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
  const letter = await rejectedSale(system, 7);
  const selling = sell(system, stopped.signal);
  const browser = await openBrowser(browserPath(process.env["CHROMIUM"]) ?? "");
  try {
    await takeAll(browser, letter);
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

async function takeAll(browser: Browser, letter: string): Promise<void> {
  await mkdir(pictures, { recursive: true });
  // The curves need some time to have a shape.
  const pipeline = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await pipeline.goto(`${system.url}/#/pipeline`);
  await delay(40_000);
  for (const [size, [width, height]] of Object.entries(widths)) {
    for (const scheme of ["light", "dark"] as const) {
      for (const { name, hash, heading } of views) {
        if (notPictured.has(name) || (scheme === "dark" && !alsoDark.has(name))) continue;
        const page = name === "pipeline" ? pipeline : await browser.newPage();
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: scheme });
        const place = name === "dead-letters" ? `${hash}/${letter}` : hash;
        if (page !== pipeline) await page.goto(`${system.url}/${place}`);
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        await page.locator(".message.waiting").first().waitFor({ state: "hidden" });
        // Pictures of albums arrive, and curves are drawn.
        await delay(500);
        const file = `${name}-${size}${scheme === "dark" ? "-dark" : ""}.png`;
        const picture = await page.screenshot({ fullPage: true, animations: "disabled" });
        await writeFile(join(pictures, file), withPalette(picture));
        say(file);
        if (page !== pipeline) await page.close();
      }
    }
  }
}
