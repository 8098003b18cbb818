import { InvalidInput } from "@tally/contract";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { parseProfile } from "./profile.ts";

const profile = { artist: "A", title: "T", year: "2000" };
const asClass = (artist: string, title: string, year: string): string =>
  `class AlbumsProfile {\n    artist: ${artist}\n    title: ${title}\n    year: ${year}\n}`;
const noNul = (name: string) => new RegExp(`^profile\\.${name}: .*none of them U\\+0000, got "a\\\\u0000b"`);

test.each([
  ["JSON", JSON.stringify(profile)],
  ["JSON with white space around", `\r\n ${JSON.stringify(profile, undefined, 2)}\n`],
  ["JSON with a number as year", '{"year":2000,"title":"T","artist":"A"}'],
  ["JSON with __proto__", '{"__proto__":{"artist":"B"},"artist":"A","title":"T","year":"2000"}'],
  ["the text of a generated client", asClass("A", "T", "2000")],
  ["that text with CRLF", `${asClass("A", "T", "2000").replaceAll("\n", "\r\n")}\r\n`],
])("%s is a profile", (_what, text) => {
  expect(parseProfile(text)).toEqual(profile);
});

test("keeps values unchanged, with any characters", () => {
  const odd = { artist: 'a: b {"}', title: "one\n    year: two\nlines", year: "" };
  expect(parseProfile(JSON.stringify(odd))).toEqual(odd);
  expect(parseProfile(asClass("a: b {}", "one\n    two", "null"))).toEqual({
    artist: "a: b {}",
    title: "one\ntwo",
    year: "null",
  });
  const long = { ...profile, title: "😀".repeat(255) };
  expect(parseProfile(JSON.stringify(long))).toEqual(long);
});

test.each([
  ["nothing", "", /^profile: expected JSON/],
  ["half of JSON", '{"artist":"A"', /^profile: expected JSON/],
  ["a list", "[]", /^profile: expected JSON/],
  ["no artist", '{"title":"T","year":"2000"}', /^profile\.artist: expected a text .* got nothing/],
  ["an object as artist", '{"artist":{},"title":"T","year":"2000"}', /^profile\.artist/],
  ["a list as artist", '{"artist":[],"title":"T","year":"2000"}', /^profile\.artist: .* got a list/],
  ["a NUL as artist", JSON.stringify({ ...profile, artist: "a\0b" }), noNul("artist")],
  ["a NUL as title", JSON.stringify({ ...profile, title: "a\0b" }), noNul("title")],
  ["a NUL as year", JSON.stringify({ ...profile, year: "a\0b" }), noNul("year")],
  ["a NUL in a class", asClass("a\0b", "T", "2000"), noNul("artist")],
  ["null as year", '{"artist":"A","title":"T","year":null}', /^profile\.year: .* got null/],
  ["a year beyond all numbers", '{"artist":"A","title":"T","year":1e999}', /^profile\.year: (?!.*got null)/],
  ["256 characters", JSON.stringify({ ...profile, title: "x".repeat(256) }), /^profile\.title/],
  ["half a character", '{"artist":"\\ud800","title":"T","year":"2000"}', /^profile\.artist/],
  ["a class without its end", asClass("A", "T", "2000").slice(0, -2), /^profile: expected/],
  ["a class without a title", "class AlbumsProfile {\n    artist: A\n    year: 2000\n}", /^profile: expected/],
  ["two hundred thousand lines", `class A {${"\n    artist: \n    title: ".repeat(200_000)}`, /^profile: expected/],
])("rejects %s and names the field", (_what, text, message) => {
  expect(() => parseProfile(text)).toThrow(InvalidInput);
  expect(() => parseProfile(text)).toThrow(message);
});

test("a profile keeps nothing of the text around it in memory", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const usedMiB = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = usedMiB();
  const kept = Array.from({ length: 3000 }, (_, n) =>
    parseProfile(`${asClass(`artist number ${n}`, "a title of some length", "2000")}${"x".repeat(9000)}`),
  );
  expect(usedMiB() - before).toBeLessThan(10);
  expect(kept).toHaveLength(3000);
});
