import { readFileSync } from "node:fs";
import { configTable } from "@tally/runtime";
import { expect, test } from "vitest";
import { writerSettings } from "./config.ts";

test("docs/operations.md lists every setting of the writer as it is", () => {
  const padded = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const text = padded.replaceAll(/ +/g, " ");
  // The default of the threads depends on the machine: the document states the rule.
  const ofMachine = /^(\| `WRITER_THREADS` \| .*? \|) `\d+` \|/;
  const rows = configTable(writerSettings).map((row) => row.replace(ofMachine, "$1 half of the cores |"));
  for (const row of rows) expect(text).toContain(row);
});
