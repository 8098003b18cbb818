import { readFileSync } from "node:fs";
import { configTable } from "@tally/service";
import { expect, test } from "vitest";
import { rankerSettings } from "./config.ts";

test("docs/operations.md lists every setting of the ranker as it is", () => {
  const text = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  for (const row of configTable(rankerSettings)) expect(text).toContain(row);
});
