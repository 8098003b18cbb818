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

test("the message names the field, the expected and the actual value", () => {
  expect(messageFor({ items: [{ quantity: 1 }, { quantity: 0 }] })).toBe(
    "items[1].quantity: expected a quantity from 1, got 0",
  );
  expect(messageFor({ items: [{ quantity: "1" }] })).toBe('items[0].quantity: expected a quantity from 1, got "1"');
  expect(messageFor({ items: [] })).toBe("items: expected a list of items, got a list of 0");
  expect(messageFor({ items: ["x"] })).toBe('items[0]: expected an item, got "x"');
  expect(messageFor([])).toBe("body: expected an order, got a list of 0");
  expect(messageFor(undefined)).toBe("body: expected an order, got nothing");
});

test("truncates a huge value in the message", () => {
  expect(messageFor({ items: "x".repeat(100_000) }).length).toBeLessThan(200);
});

test("asks for the errors of one entry of a list, the first that fails", () => {
  const seen: unknown[] = [];
  const watched = {
    Check: (value: unknown) => check.Check(value),
    Errors(value: unknown) {
      seen.push(value);
      return check.Errors(value);
    },
    Type: () => check.Type(),
  };
  const value = { items: [{ quantity: 1 }, { quantity: 2 }, {}, { quantity: 0 }] };
  expect(firstProblem(watched, value).message).toBe("items[2].quantity: expected a quantity from 1, got nothing");
  expect(seen).toEqual([{ items: [{}] }]);
});

test("reports a list that is too long without a walk of its entries", () => {
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
