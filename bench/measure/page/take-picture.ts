import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readReport } from "../stored-reports.ts";
import { browserPath, openBrowser } from "../../kit/chromium.ts";
import { pageOf } from "./page.ts";

/* `pnpm picture`: takes docs/bench-page.png from the page of a stored run, by default the newest of bench/results. */

const root = join(import.meta.dirname, "..", "..", "..");
const { values: flags } = parseArgs({
  options: {
    run: { type: "string" },
    dark: { type: "boolean", default: false },
    width: { type: "string", default: "1100" },
    to: { type: "string", default: join(root, "docs", "bench-page.png") },
    chromium: { type: "string" },
  },
});

const run = flags.run ?? (await newestRun(join(root, "bench", "results")));
const program = browserPath(flags.chromium);
if (program === undefined) throw new Error("there is no chromium or google-chrome; name one with --chromium");
const browser = await openBrowser(program);
try {
  const viewport = { width: Number(flags.width), height: 900 };
  const page = await browser.newPage({ viewport, colorScheme: flags.dark ? "dark" : "light" });
  await page.setContent(await pageOf(await readReport(run)));
  await page.waitForFunction(
    `[...document.querySelectorAll("figure")].every((figure) => figure.dataset.drawn !== undefined)`,
  );
  await writeFile(flags.to, await page.screenshot({ fullPage: true }));
  process.stdout.write(`${flags.to}: the page of ${run}\n`);
} finally {
  await browser.close();
}

async function newestRun(folder: string): Promise<string> {
  const files = await readdir(folder).catch(() => []);
  // Their names begin with the time of the run.
  const [newest] = files
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .slice(-1);
  if (newest === undefined) throw new Error(`there is no run in ${folder}; pnpm bench makes one`);
  return join(folder, newest);
}
