import { readFileSync } from "node:fs";
import { configTable } from "@tally/runtime";
import { expect, test } from "vitest";
import { rankerSettings } from "./config.ts";

test("docs/operations.md lists every setting of the ranker as it is", () => {
  const padded = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const text = padded.replaceAll(/ +/g, " ");
  for (const row of configTable(rankerSettings)) expect(text).toContain(row);
});
