import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { typesOfDocument } from "./types-of-document.ts";

test("openapi.ts has the types of docs/openapi.json; if not, run pnpm --filter @tally/client generate", async () => {
  expect(await readFile(new URL("openapi.ts", import.meta.url), "utf8")).toBe(await typesOfDocument());
});
