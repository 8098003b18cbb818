import { expect, test } from "vitest";
import { imageTypeOf } from "./image-type.ts";

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
