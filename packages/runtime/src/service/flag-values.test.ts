import { expect, test } from "vitest";
import { number, origin, wholeNumber } from "./flag-values.ts";

test.each([
  [wholeNumber, "12", 12],
  [number, "0.5", 0.5],
  [origin, "http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
] as const)("%o reads %s", (parse, text, value) => {
  expect(parse(text)).toEqual(value);
});

test.each([
  [wholeNumber, "0"],
  [wholeNumber, "1.5"],
  [number, "-1"],
  [number, "x"],
  [origin, "127.0.0.1:8080"],
  [origin, "http://127.0.0.1:1/base"],
  [origin, "http://user:secret@127.0.0.1:1/base"],
] as const)("%o rejects %s", (parse, text) => {
  expect(() => parse(text)).toThrow(/expected(?!.*secret)/);
});
