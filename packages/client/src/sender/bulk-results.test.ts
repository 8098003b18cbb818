import { expect, test } from "vitest";
import { messageOf, resultsOf } from "./send-bulk.ts";

const stored = { index: 0, status: 201, id: "a" };
const later = { index: 1, status: 503, error: "not taken" };

test.each([
  ["no JSON", "<html>Sign in to the network</html>"],
  ["no object", "7"],
  ["no results", '{"message":"x"}'],
  ["too few results", JSON.stringify({ results: [stored] })],
  ["another order", JSON.stringify({ results: [later, stored] })],
  ["an entry without id", JSON.stringify({ results: [{ index: 0, status: 201 }, later] })],
  ["an entry without error", JSON.stringify({ results: [stored, { index: 1, status: 400 }] })],
  ["an entry without status", JSON.stringify({ results: [stored, { index: 1, error: "x" }] })],
])("a body with %s says nothing about the entries", (_, body) => expect(resultsOf(body, 2)).toBeUndefined());

test("the sentence of an error body", () => {
  expect(messageOf('{"message":"body: too large"}')).toBe("body: too large");
  expect(messageOf("<html></html>")).toBeUndefined();
});
