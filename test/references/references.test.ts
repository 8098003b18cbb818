import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { references } from "./references.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");
// The formatter pads tables.
const unpadded = (text: string): string => text.replaceAll(/-{3,}/g, "---").replaceAll(/ +/g, " ");

test("the generated documents are as `pnpm references` writes them", async () => {
  for (const [name, text] of Object.entries(await references()))
    expect({ name, text: unpadded(readFileSync(join(docs, name), "utf8")) }).toEqual({ name, text: unpadded(text) });
});
