import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { startScriptedServer, type Received, type Reply } from "./scripted-server.test-kit.ts";

/* In a real browser. Skipped on a machine without one, unless CHROMIUM names it. */

const browserPath = process.env["CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const reason = browserPath === undefined ? " (skipped: no chromium or google-chrome)" : "";
const folder = join(import.meta.dirname, "..");

const page = `<!doctype html>
<script type="importmap">{ "imports": { "openapi-fetch": "/openapi-fetch.mjs", "@tally/client": "/built/index.js" } }</script>
<script type="module">
  import { createPurchaseSender, createTallyClient } from "@tally/client";
  const baseUrl = location.origin;
  const sender = createPurchaseSender({ baseUrl, apiKey: "k1", firstDelayMs: 1, onRejected() {} });
  const { settled } = await sender.add({ storeID: 7, custID: 1, date: "20261120", items: [{ ItemID: 9, numberOfItems: 1 }] });
  const { data } = await createTallyClient({ baseUrl }).GET("/items/store/{storeID}", { params: { path: { storeID: 7 } } });
  globalThis.done = { settled: await settled, data, closed: await sender.close() };
</script>`;

test.skipIf(browserPath === undefined)(`calls and sender run in a browser${reason}`, async () => {
  const built = await mkdtemp(join(tmpdir(), "tally-client-browser-"));
  onTestFinished(() => rm(built, { recursive: true, force: true }));
  await promisify(execFile)("tsc", ["-p", "tsconfig.build.json", "--outDir", built], { cwd: folder });
  const library = join(folder, "node_modules", "openapi-fetch", "dist", "index.mjs");

  let posts = 0;
  async function serve({ method, path }: Received): Promise<Reply> {
    if (method === "POST") {
      if (++posts === 1) return { status: 503, body: { message: "not taken" } };
      return { status: 201, body: { results: [{ index: 0, status: 201, id: "a" }] } };
    }
    if (path === "/") return { status: 200, headers: { "content-type": "text/html" }, body: page };
    if (path === "/items/store/7") return { status: 200, body: { stores: [] } };
    const file = path.startsWith("/built/") ? join(built, path.slice("/built/".length)) : library;
    return { status: 200, headers: { "content-type": "text/javascript" }, body: await readFile(file, "utf8") };
  }
  const { url, received } = await startScriptedServer(serve);
  const browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox", "--disable-gpu"] });
  onTestFinished(() => browser.close());
  const tab = await browser.newPage();
  await tab.goto(url);
  await tab.waitForFunction("globalThis.done");
  expect(await tab.evaluate("globalThis.done")).toEqual({
    settled: { outcome: "accepted", id: "a" },
    data: { stores: [] },
    closed: { waiting: 0 },
  });
  const sent = received.filter(({ method }) => method === "POST");
  expect(sent.map(({ headers }) => headers.authorization)).toEqual(["Bearer k1", "Bearer k1"]);
  expect(sent[1]?.body).toBe(sent[0]?.body);
});
