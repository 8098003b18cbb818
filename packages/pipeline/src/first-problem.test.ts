import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { firstProblem } from "./first-problem.ts";

const check = Compile(
  Type.Object(
    {
      items: Type.Array(
        Type.Object(
          { quantity: Type.Integer({ minimum: 1, expected: "a quantity from 1" }) },
          { additionalProperties: false, expected: "an item" },
        ),
        { minItems: 1, maxItems: 5, expected: "a list of items" },
      ),
    },
    { additionalProperties: false, expected: "an order" },
  ),
);
const messageFor = (value: unknown) => firstProblem(check, value).message;

test("the message names the field, what was expected and what came", () => {
  expect(messageFor({ items: [{ quantity: 1 }, { quantity: 0 }] })).toBe(
    "items[1].quantity: expected a quantity from 1, got 0",
  );
  expect(messageFor({ items: [{ quantity: "1" }] })).toBe('items[0].quantity: expected a quantity from 1, got "1"');
  expect(messageFor({ items: [] })).toBe("items: expected a list of items, got a list of 0");
  expect(messageFor({ items: ["x"] })).toBe('items[0]: expected an item, got "x"');
  expect(messageFor([])).toBe("body: expected an order, got a list of 0");
  expect(messageFor(undefined)).toBe("body: expected an order, got nothing");
});

test("a missing field is named, not the object that lacks it", () => {
  expect(messageFor({})).toBe("items: expected a list of items, got nothing");
  expect(messageFor({ items: [{}] })).toBe("items[0].quantity: expected a quantity from 1, got nothing");
});

test("a field that does not exist is named, __proto__ too", () => {
  expect(messageFor({ items: [{ quantity: 1 }], color: "red" })).toMatch(/^color: expected no such field/);
  expect(messageFor(JSON.parse('{"items":[{"quantity":1,"__proto__":2}]}'))).toMatch(
    /^items\[0\]\.__proto__: expected no such field/,
  );
});

test("a huge value is cut short in the message", () => {
  expect(messageFor({ items: "x".repeat(100_000) }).length).toBeLessThan(200);
});

test("a list that is too long is named before its entries, and they are not walked", () => {
  let walked = 0;
  const items = Array.from({ length: 6 }, () => ({
    get quantity() {
      walked++;
      return 0;
    },
  }));
  expect(messageFor({ items })).toBe("items: expected a list of items, got a list of 6");
  expect(walked).toBe(0);
});

test("a number that JSON cannot name is shown as what it is", () => {
  expect(messageFor(JSON.parse('{"items":[{"quantity":1e400}]}'))).toBe(
    "items[0].quantity: expected a quantity from 1, got a number beyond ±1.7976931348623157e+308",
  );
});
