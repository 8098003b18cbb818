import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { browserPath, openBrowser } from "@tally/bench/chromium";
import { startPrivateServices, startSystem } from "@tally/local";
import { withPalette } from "./with-palette.ts";

/* The second half of `pnpm screenshots`: starts a system, plays the demo into it, and takes the README's picture in the evening peak. */

const root = join(import.meta.dirname, "..", "..");
const directory = join(root, ".tally", `demo-picture-${process.pid}`);
const picture = join(root, "docs", "screenshots", "demo-desktop.png");
// In the second zone, and not the store that goes offline with this seed.
const store = 6;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const system = await startSystem({
  root,
  directory,
  database: "tally_screenshots_test",
  namespace: "demo-picture",
  services: startPrivateServices,
  environment: { PATH: process.env["PATH"] },
  say,
});
try {
  const browser = await openBrowser(browserPath(process.env["CHROMIUM"]) ?? "");
  const flags = ["--url", system.url, "--seed", "7"];
  const demo = spawn(process.execPath, [join(root, "bench", "demo", "main.ts"), ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(demo, "exit");
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${system.url}/#/stores/${store}`);
    await untilEvening(demo.stdout);
    await page.locator(".message.waiting").first().waitFor({ state: "hidden" });
    await mkdir(join(picture, ".."), { recursive: true });
    const bytes = await page.screenshot({ fullPage: true, animations: "disabled" });
    await writeFile(picture, withPalette(bytes));
    say("demo-desktop.png");
  } finally {
    demo.kill("SIGINT");
    await browser.close();
    await ended;
  }
} finally {
  await system.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Resolves a few seconds after a store went offline, which the demo lets happen in the evening. */
async function untilEvening(output: NodeJS.ReadableStream): Promise<void> {
  const lines = createInterface({ input: output });
  lines.on("line", say);
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (line.includes("is offline")) resolve();
    });
    lines.on("close", () => reject(new Error("the demo ended before its evening")));
  });
  await delay(5000);
}
