import { expect, test } from "vitest";
import { setting, share } from "./flag-values.ts";

test("a share is a number from 0 to 1", () => {
  expect(share("1")).toBe(1);
  expect(() => share("1.1")).toThrow("expected");
});

test("settings add up", () => {
  expect(setting("B=2=3", [["A", "1"]])).toEqual([
    ["A", "1"],
    ["B", "2=3"],
  ]);
  expect(() => setting("b=2", [])).toThrow("expected NAME=value");
});
