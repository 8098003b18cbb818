import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/path-of-an-event.md",
  "docs/operations.md",
  "docs/http.md",
  "docs/glossary.md",
  "docs/performance.md",
  "docs/new-domain.md",
];

test.each(documents)("every file that %s links to is there", (document) => {
  // In code the same characters mean something else.
  const text = readFileSync(join(root, document), "utf8").replaceAll(/^```.*?^```/gms, "");
  for (const [, target = ""] of text.matchAll(/\]\(([^)#:]+)\)/g)) {
    expect({ target, exists: existsSync(join(root, dirname(document), target)) }).toEqual({ target, exists: true });
  }
});
