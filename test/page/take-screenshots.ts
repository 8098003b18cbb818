import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { browserPath, openBrowser } from "./chromium.ts";
import { startPrivateServices, startSystem } from "@tally/local";

/*
 * `pnpm screenshots`: starts a system, plays the demo into it, and takes the pictures of the documents in its evening.
 */

const root = join(import.meta.dirname, "..", "..");
const directory = join(root, ".tally", `screenshots-${process.pid}`);
const folder = join(root, "docs", "screenshots");
// Store 6 is in the second zone, and not the one that goes offline with this seed.
const seed = "7";
const pictures = [
  { name: "demo-desktop", hash: "#/stores/6", width: 1440, height: 900, colorScheme: "light" },
  { name: "pipeline-desktop-dark", hash: "#/pipeline", width: 1440, height: 900, colorScheme: "dark" },
  { name: "store-phone", hash: "#/stores/6", width: 390, height: 844, colorScheme: "light" },
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
try {
  const browser = await openBrowser(browserPath(process.env["CHROMIUM"]) ?? "");
  const args = [join(root, "bench", "demo", "main.ts"), "--url", system.url, "--seed", seed];
  const demo = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(demo, "exit");
  try {
    // Open from the beginning, so that their curves have a shape.
    const pages = await Promise.all(
      pictures.map(async ({ hash, width, height, colorScheme }) => {
        const page = await browser.newPage({ viewport: { width, height }, colorScheme });
        await page.goto(`${system.url}/${hash}`);
        return page;
      }),
    );
    await untilEvening(demo.stdout);
    await mkdir(folder, { recursive: true });
    for (const [index, { name }] of pictures.entries()) {
      const path = join(folder, `${name}.png`);
      await pages[index]?.screenshot({ path, fullPage: true, animations: "disabled" });
      say(path);
    }
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
  for await (const line of createInterface({ input: output })) {
    say(line);
    if (line.includes("is offline")) break;
  }
  output.resume();
  await delay(5000);
}
