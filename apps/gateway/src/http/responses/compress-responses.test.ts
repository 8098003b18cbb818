import { expect, test } from "vitest";
import { preferredEncoding } from "./compress-responses.ts";

test.each([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["GZIP ; Q=0.5, deflate", "gzip"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip;q=1.0, br;q=0.8", "gzip"],
  ["gzip;q=0", undefined],
  ["gzip;q=x", undefined],
  ["*", "zstd"],
  ["*;q=0.1, zstd;q=0", "br"],
  ["gzip, *;q=0", "gzip"],
])("Accept-Encoding %j selects %j", (header, encoding) => {
  expect(preferredEncoding(header)).toBe(encoding);
});
