import { expect, test } from "vitest";
import { imageSizeOf, imageTypeOf, isTooLarge } from "./image.ts";

const size = (hex: string): ReturnType<typeof imageSizeOf> => {
  const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
  const type = imageTypeOf(bytes);
  if (type === undefined) throw new Error("not an image");
  return imageSizeOf(type, bytes);
};

const png = "89504e470d0a1a0a 0000000d 49484452";
const webp = "52494646 00000000 57454250";
const app0 = "ffe0 0010 4a464946000101000001000100 00";

test.each([
  ["a PNG", `${png} 000036b0 000036b0`, { width: 14_000, height: 14_000 }],
  ["a GIF", "474946383961 0140 f000", { width: 0x4001, height: 0xf0 }],
  [
    "a GIF whose first frame exceeds its screen, behind colours and extensions",
    "474946383961 0100 0100 80 00 00 000000ffffff 21f9 04 00000000 00 21fe 01 2c 00 2c 0100 0200 204e 204e 00",
    { width: 20_001, height: 20_002 },
  ],
  ["a baseline JPEG", `ffd8 ${app0} ffc0 0011 08 0102 0304 03`, { width: 0x304, height: 0x102 }],
  [
    "a progressive JPEG behind tables",
    `ffd8 ffdb 0004 ffc0 ffc4 0002 ffff c2 0011 08 0102 0304 03`,
    { width: 0x304, height: 0x102 },
  ],
  [
    "a JPEG with bytes between segments",
    `ffd8 ff00 11 ${app0} 22 ffc0 0011 08 0102 0304 03`,
    { width: 0x304, height: 0x102 },
  ],
  ["a lossy WebP", `${webp} 56503820 00000000 000000 9d012a 1140 1280`, { width: 0x11, height: 0x12 }],
  ["a lossless WebP", `${webp} 5650384c 00000000 2f ffff ff0f`, { width: 16_384, height: 16_384 }],
  ["an extended WebP", `${webp} 56503858 00000000 00000000 af3600 0f0000`, { width: 14_000, height: 16 }],
  ["a PNG without its header", "89504e470d0a1a0a 0000000d 49444154 000036b0 000036b0", undefined],
  ["a PNG that ends early", `${png} 000036b0`, undefined],
  ["a JPEG without a frame", `ffd8 ${app0} ffd9`, undefined],
  ["a JPEG that ends in a marker", "ffd8ffc0", undefined],
])("%s", (_what, hex, expected) => {
  expect(size(hex)).toEqual(expected);
});

test.each([
  [{ width: 8192, height: 4882 }, false],
  [{ width: 8192, height: 4883 }, true],
  [{ width: 8193, height: 1 }, true],
  [{ width: 1, height: 8193 }, true],
  [{ width: 6324, height: 6324 }, false],
  [{ width: 2 ** 32 - 1, height: 2 ** 32 - 1 }, true],
])("%j", (declared, tooLarge) => {
  expect(isTooLarge(declared)).toBe(tooLarge);
});

test.each(["ff", "ffe00002", "ffd8", "ff00"])("the size of a JPEG that repeats %s is hidden", (fill) => {
  const bytes = Buffer.concat([Buffer.from("ffd8", "hex"), Buffer.alloc(10_000_000, fill, "hex")]);
  expect(imageSizeOf("image/jpeg", bytes)).toBe("hidden");
});

test.each([
  ["89504e470d0a1a0a0000000d49484452", "image/png"],
  ["ffd8ffe000104a464946", "image/jpeg"],
  ["ffd8ffdb", "image/jpeg"],
  ["474946383961", "image/gif"],
  ["474946383761", "image/gif"],
  ["524946461a000000574542505650384c", "image/webp"],
  ["", undefined],
  ["89504e47", undefined],
  ["ffd8", undefined],
  ["474946383861", undefined],
  ["524946461a00000057415645", undefined], // a sound
  ["3c7376672078", undefined], // SVG can carry scripts
  ["424d", undefined],
])("%s is %s", (hex, type) => {
  expect(imageTypeOf(Buffer.from(hex, "hex"))).toBe(type);
});
