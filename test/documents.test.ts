import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeConfig, type ConfigSchema } from "@tally/service";
import { expect, test } from "vitest";
import { gatewaySettings } from "../apps/gateway/src/config.ts";
import { rankerSettings } from "../apps/ranker/src/config.ts";
import { writerSettings } from "../apps/writer/src/config.ts";

const root = join(import.meta.dirname, "..");
const documents = ["README.md", "docs/path-of-an-event.md", "docs/operations.md", "docs/performance.md"];
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("docs/operations.md lists every variable as the code has it", () => {
  const text = read("docs/operations.md");
  for (const settings of [gatewaySettings, writerSettings, rankerSettings]) {
    for (const row of rowsOf(settings)) expect(text).toContain(row);
  }
});

test("every file that a document links to is there", () => {
  for (const document of documents) {
    for (const [, target = ""] of read(document).matchAll(/\]\(([^)#:]+)\)/g)) {
      expect(existsSync(join(root, dirname(document), target)), `${document} → ${target}`).toBe(true);
    }
  }
});

// The default of the threads depends on the machine: the document says the rule instead.
function rowsOf(settings: ConfigSchema): readonly string[] {
  return describeConfig(settings)
    .filter(({ variable }) => variable !== "WRITER_THREADS")
    .map(({ variable, expected, default: preset, says }) => {
      const value = preset === undefined ? "must be set" : preset === "" ? "none" : `\`${preset}\``;
      return `| \`${variable}\` | ${expected} | ${value} | ${says} |`;
    });
}
