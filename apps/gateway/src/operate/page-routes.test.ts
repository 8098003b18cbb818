import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { temporaryDirectory } from "@tally/local/at-end";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { addFilesAndCompression } from "../http/send-files.ts";
import { addPageRoutes } from "./page-routes.ts";

const html = `<!doctype html><title>tally</title>${"<p>text</p>".repeat(50)}`;
const script = `export const text = "${"x".repeat(5000)}";`;

async function gateway({ isBuilt }: { readonly isBuilt: boolean }) {
  const folder = await temporaryDirectory();
  if (isBuilt) {
    await mkdir(join(folder, "assets"));
    await writeFile(join(folder, "index.html"), html);
    await writeFile(join(folder, "assets", "main-5f2.js"), script);
    await writeFile(join(folder, "sources.sha256"), "a");
  }
  const app = fastify();
  onTestFinished(() => app.close());
  app.decorate("onRejected", () => undefined);
  app.decorate("errorKeyOf", () => "message" as const);
  app.decorate("hasRoom", () => true);
  await addFilesAndCompression(app);
  addPageRoutes(app, folder);
  return app;
}

test("the page is sent whole, revalidated by its etag, and may load only from here", async () => {
  const app = await gateway({ isBuilt: true });
  const { statusCode, headers, body } = await app.inject("/");
  expect([statusCode, body]).toEqual([200, html]);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": expect.stringContaining("default-src 'none'; script-src 'self'"),
    "x-content-type-options": "nosniff",
  });
  const again = await app.inject({ url: "/", headers: { "if-none-match": headers.etag } });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
});

test("files with a hash in their name are kept by browsers for good, and are compressed", async () => {
  const app = await gateway({ isBuilt: true });
  const headers = { "accept-encoding": "gzip, deflate, br, zstd" };
  const zstd = await app.inject({ url: "/assets/main-5f2.js", headers });
  expect(zstd.headers).toMatchObject({
    "content-type": expect.stringContaining("javascript"),
    "content-encoding": "zstd",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  });
  expect(String(zstdDecompressSync(zstd.rawPayload))).toBe(script);
});

test("nothing else of the folder is served", async () => {
  const app = await gateway({ isBuilt: true });
  for (const path of ["/sources.sha256", "/assets/..%2Fsources.sha256", "/assets/x.js", "/index.html"])
    expect([path, (await app.inject(path)).statusCode]).toEqual([path, 404]);
});

test("without the built page the response says how to build it", async () => {
  const app = await gateway({ isBuilt: false });
  for (const path of ["/", "/assets/main-5f2.js"]) {
    const response = await app.inject(path);
    expect([response.statusCode, response.json()]).toEqual([
      404,
      { message: expect.stringContaining("run pnpm build") },
    ]);
  }
});
