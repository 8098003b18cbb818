import { expect, test } from "vitest";
import { mountsOf } from "./domain-routes.ts";

test.each([
  [[], [{ prefix: "", isBasePath: false }]],
  [["/"], [{ prefix: "", isBasePath: true }]],
  [
    ["shop/", "/api/v1", "shop"],
    [
      { prefix: "", isBasePath: false },
      { prefix: "/shop", isBasePath: true },
      { prefix: "/api/v1", isBasePath: true },
    ],
  ],
] as const)("with BASE_PATHS %j routes are mounted at the root, and below each base path", (basePaths, mounts) => {
  expect(mountsOf(basePaths)).toEqual(mounts);
});
