import { expect, test } from "vitest";
import { list, number, origin, setting, share, wholeNumber } from "./flag-values.ts";

test.each([
  [wholeNumber, "12", 12],
  [number, "0.5", 0.5],
  [share, "1", 1],
  [list, "a,b", ["a", "b"]],
  [origin, "http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
] as const)("%o reads %s", (parse, text, value) => {
  expect(parse(text)).toEqual(value);
});

test.each([
  [wholeNumber, "0"],
  [wholeNumber, "1.5"],
  [number, "-1"],
  [number, "x"],
  [share, "1.1"],
  [origin, "127.0.0.1:8080"],
  [origin, "http://127.0.0.1:1/base"],
] as const)("%o rejects %s", (parse, text) => {
  expect(() => parse(text)).toThrow("expected");
});

test("settings add up", () => {
  expect(setting("B=2=3", [["A", "1"]])).toEqual([
    ["A", "1"],
    ["B", "2=3"],
  ]);
  expect(() => setting("b=2", [])).toThrow("expected NAME=value");
});
