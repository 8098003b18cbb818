import { crc32, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { coverOf } from "./cover.ts";

test("a cover is a small PNG whose chunks have their checksums and whose rows are complete", () => {
  const covers = Array.from({ length: 8 }, (_, number) => coverOf(number));
  for (const cover of covers) {
    expect(cover.subarray(0, 8).toString("latin1")).toBe("\u0089PNG\r\n\u001a\n");
    const chunks: [string, Buffer][] = [];
    for (let at = 8; at < cover.length;) {
      const end = at + 8 + cover.readUInt32BE(at);
      expect(cover.readUInt32BE(end)).toBe(crc32(cover.subarray(at + 4, end)));
      chunks.push([cover.toString("latin1", at + 4, at + 8), cover.subarray(at + 8, end)]);
      at = end + 4;
    }
    expect(chunks.map(([type]) => type)).toEqual(["IHDR", "IDAT", "IEND"]);
    expect(inflateSync(chunks[1]?.[1] ?? Buffer.alloc(0))).toHaveLength(120 * (1 + 3 * 120));
    expect(cover.length).toBeLessThan(10_000);
  }
  expect(new Set(covers.map((cover) => cover.toString("base64"))).size).toBe(8);
});
