import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const documents = globSync(["*.md", "docs/**/*.md", "{apps,packages}/*/README.md", "{infra,bench,test}/**/README.md"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
});

test.each(documents)("every file that %s links to exists", (document) => {
  // Code blocks have no links.
  const text = readFileSync(join(root, document), "utf8").replaceAll(/^```.*?^```/gms, "");
  for (const [, target = ""] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
    expect({ target, exists: existsSync(join(root, dirname(document), target)) }).toEqual({ target, exists: true });
  }
});
