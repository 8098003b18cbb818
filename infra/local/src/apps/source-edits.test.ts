import { expect, test } from "vitest";
import { edited, type SourceEdit } from "./source-edits.ts";

test("an edit whose text does not occur exactly once is an error that names the file", () => {
  const edit: SourceEdit = { apps: ["writer"], file: "a.ts", find: "x", replace: "y" };
  expect(edited("axb", [edit])).toBe("ayb");
  expect(() => edited("ab", [edit])).toThrow("a.ts: expected exactly once, found 0 times");
  expect(() => edited("axbx", [edit])).toThrow("a.ts: expected exactly once, found 2 times");
});
