import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { ErrorCatalogue } from "./catalogued-error.ts";

/** For tests: the tables in a document have one row for each error of a catalogue, "| `CODE` | … |", with the entry's fields in their order. */
export function expectDocumented(document: URL, catalogue: ErrorCatalogue<string>): void {
  const rows = readFileSync(document, "utf8").matchAll(/^\| `[A-Z0-9_]+` .*\|$/gm);
  const documented = Array.from(rows, ([row]) => row.replaceAll(/ +/g, " "));
  const expected = Object.entries(catalogue).map(([code, entry]) => {
    const fields: readonly unknown[] = Object.values(entry);
    return `| ${[`\`${code}\``, ...fields].join(" | ")} |`;
  });
  expect(documented).toEqual(expected);
}
