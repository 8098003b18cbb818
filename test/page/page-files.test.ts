import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "..", "..", "apps", "dashboard", "dist");

test("the page has less than 150 kB compressed", async () => {
  const names = (await readdir(dist, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    names.map(async ({ parentPath, name }) => brotliCompressSync(await readFile(join(parentPath, name))).length),
  );
  expect(sizes.length).toBeGreaterThanOrEqual(4);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
});

test("the page has no inline script or style, and loads its files by relative addresses", async () => {
  const html = await readFile(join(dist, "index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  const addresses = [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThanOrEqual(3);
  for (const address of addresses) expect(address).toMatch(/^\.\/assets\/[\w-]+-[\w-]{8}\.(?:js|css|svg)$/);
});
