import { batchDecoder, encodeBatch, encodeEvent } from "@tally/contract";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { eventVersion, PurchaseEvent } from "./event.ts";
import { itemCells, Items, itemsOfLines, linesOf } from "./lines.ts";
import { moneyText, parseMoney } from "./money.ts";

const isItems = Compile(Items);
const isEvent = Compile(PurchaseEvent);
const event = (more: object) => ({
  id: "01234567-0123-7000-8000-0123456789ab",
  storeId: 5,
  customerId: 5001,
  date: 20261120,
  lines: [[85571, 3]],
  ...more,
});

/** The lines of items that the schema of requests accepts. */
function read(items: unknown): PurchaseEvent["lines"] {
  if (!isItems.Check(items)) throw new TypeError("the schema");
  return linesOf(items);
}

const sold = (more: object = {}) => ({ ItemID: 9, numberOfItems: 3, ...more });

test("amounts are exact from 0.0001 to 2^53 - 1 of them, and what is more is never less", () => {
  for (const [text, amount, shown = text] of [
    ["0", 0, "0.0000"],
    ["0.0001", 1],
    ["1.50", 15_000, "1.5000"],
    ["0100.0000", 1_000_000, "100.0000"],
    ["900719925474.0991", Number.MAX_SAFE_INTEGER],
  ] as const)
    expect([parseMoney(text), moneyText(amount)]).toEqual([amount, shown]);
  for (const text of ["900719925474.0992", "900719925474.0993", "999999999999.9999"])
    expect(parseMoney(text)).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
});

test.each([
  [[sold()], [[9, 3]], "9:3"],
  [
    [sold({ unitPrice: "1.99", discountAmount: "5.97" }), sold({ unitPrice: "0", discountAmount: "0.00" })],
    [
      [9, 3, 19_900, 59_700],
      [9, 3, 0, 0],
    ],
    "9:3:1.9900:5.9700 9:3:0.0000:0.0000",
  ],
  [[sold({ numberOfItems: 1, unitPrice: "100000000" })], [[9, 1, 1e12, 0]], "9:1:100000000.0000:0.0000"],
])("items become lines, and are the same lines when they come back as JSON or as a CSV cell", (items, lines, cell) => {
  expect(read(items)).toEqual(lines);
  const shown = itemsOfLines(read(items));
  expect(read(JSON.parse(JSON.stringify(shown)))).toEqual(lines);
  expect(itemCells.write(shown)).toBe(cell);
  expect(read(itemCells.read(cell))).toEqual(lines);
  expect(isEvent.Check(event({ lines }))).toBe(true);
});

const wrongPrices = [1.99, "", "1.", ".5", "1.00001", "1e3", "-1", "+1", " 1", "1,99", "1".repeat(13), null];
const wrong: readonly (readonly [message: string, items: unknown])[] = [
  ["items[1].unitPrice: expected a price in all items or in none", [sold(), sold({ unitPrice: "1" })]],
  ["items[1].unitPrice: expected a price in all items or in none", [sold({ unitPrice: "1" }), sold()]],
  ["items[0].discountAmount: expected a unitPrice beside it", [sold({ discountAmount: "1" })]],
  [
    "items[0].discountAmount: expected at most the price of all units, 5.9700",
    [sold({ unitPrice: "1.99", discountAmount: "5.9701" })],
  ],
  [
    "items[0].unitPrice: expected at most 100000000.0000 for all units together",
    [sold({ numberOfItems: 2, unitPrice: "50000000.0001" })],
  ],
  ...wrongPrices.map((unitPrice) => ["the schema", [sold({ unitPrice })]] as const),
];

test.each(wrong)("rejects: %s (%j)", (message, items) => {
  expect(() => read(items)).toThrow(message);
});

test.each([
  {
    lines: [
      [9, 3],
      [9, 3, 100, 0],
    ],
  },
  { lines: [[9, 3, 100]] },
  { lines: [[9, 3, 100, 301]] },
  { lines: [[9, 3, 2 ** 52, 0]] },
  { lines: [[9, 3, 1.5, 0]] },
  { soldAt: 1.5 },
  { soldAt: -1 },
])("a writer rejects an event with %j", (more) => {
  expect(isEvent.Check(event(more))).toBe(false);
});

test("a message of the first version and its dates far ahead are read as ever", () => {
  const first = event({ date: 20991231 });
  const body = encodeBatch({ producer: "0123456789abcdef", sequence: 0 }, 0, [encodeEvent(first)], 1);
  expect(batchDecoder(PurchaseEvent, eventVersion)(body).events).toEqual([first]);
});
