import { readFileSync } from "node:fs";
import { join } from "node:path";
import { edited } from "@tally/local/source-edits";
import { expect, test } from "vitest";
import { designNames, durabilityNames, durabilityOf, editsOf } from "./designs.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const combinations = designNames.flatMap((design) =>
  durabilityNames.map((durability) => [design, durability] as const),
);

test.each(combinations)("the edits of %s, %s, fit the modules of the apps", (design, durability) => {
  const edits = editsOf(design, durability);
  if (design !== "batched") expect(edits.length).toBeGreaterThan(0);
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const source = readFileSync(join(root, file), "utf8");
    const own = edits.filter((edit) => edit.file === file);
    expect(edited(source, own)).not.toBe(source);
  }
});

test("an answer that waits for no confirm is told as no more than sent, in the design as in the durability", () => {
  const told = durabilityNames.map((asked) => durabilityOf("unconfirmed", asked));
  expect(told).toEqual(["persistent", "persistent", "transient"]);
  expect(editsOf("unconfirmed", "confirmed")).toEqual(editsOf("unconfirmed", "persistent"));
  expect(durabilityNames.map((asked) => durabilityOf("per-message", asked))).toEqual(durabilityNames);
});
