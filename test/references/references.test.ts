import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { references } from "./references.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
// The formatter pads tables and wraps lines.
const unpadded = (text: string): string => text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ");

test.each(references)("the tables of $name are as `pnpm references` writes them", ({ before, after }) => {
  expect(unpadded(before)).toBe(unpadded(after));
});

// Names of Node, MySQL and shell variables; NAME_FILE stands for several settings.
const notOurs = "AFTER_SYNC JSON_TABLE MASTER_GTID_WAIT NAME_FILE NODE_COMPILE_CACHE STOP_FILE".split(" ");

test("every setting and error that a document names exists", () => {
  const documents = globSync(["*.md", "docs/**/*.md", "{apps,packages}/*/README.md", "{infra,bench}/**/README.md"], {
    cwd: root,
    exclude: ["**/node_modules/**"],
  });
  const compose = globSync(["infra/compose*.yaml", "infra/Dockerfile"], { cwd: root }).map(read).join("");
  const known = references.map(({ after }) => after).join("");
  const unknown = documents.flatMap((document) =>
    Array.from(read(document).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g), ([, name = ""]) => name)
      .filter((name) => !notOurs.includes(name) && !known.includes(`\`${name}\``) && !compose.includes(`{${name}`))
      .map((name) => `${document}: ${name}`),
  );
  expect(unknown).toEqual([]);
});
