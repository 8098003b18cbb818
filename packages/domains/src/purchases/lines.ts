import { InvalidInput, type CellForm } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, ids } from "../values.ts";
import { expectedQuantity, itemsMax, Quantity, type PurchaseEvent } from "./event.ts";
import { Money, moneyText, parseMoney } from "./money.ts";

const amounts = { unitPrice: Type.Optional(Money), discountAmount: Type.Optional(Money) };

const Item = closed(
  {
    ItemID: ids.Value,
    numberOfItems: Type.Optional(Quantity),
    // The published model writes the key with a colon.
    "numberOfItems:": Type.Optional(Quantity),
    ...amounts,
  },
  { expected: "an object with ItemID and numberOfItems" },
);
type Item = Static<typeof Item>;

/** The items of a purchase in requests. */
export const Items = Type.Array(Item, {
  minItems: 1,
  maxItems: itemsMax,
  expected: `a list of 1 to ${itemsMax} items`,
});

/** An item in responses. */
export const ShownItem = Type.Object({ ItemID: Type.Integer(), numberOfItems: Type.Integer(), ...amounts });
type ShownItem = Static<typeof ShownItem>;

type Lines = PurchaseEvent["lines"];

/** Throws InvalidInput if some items have a price and others none, and for a discount above the price of its units. */
export function linesOf(items: readonly Item[]): Lines {
  return items[0]?.unitPrice === undefined ? items.map(lineOf) : items.map(pricedLineOf);
}

function lineOf(item: Item, index: number): [itemId: number, quantity: number] {
  const { unitPrice, discountAmount } = item;
  if (unitPrice !== undefined) throw pricesDiffer(index, unitPrice);
  if (discountAmount !== undefined)
    throw new InvalidInput(`items[${index}].discountAmount`, "a unitPrice beside it", discountAmount);
  return [ids.parse(`items[${index}].ItemID`, item.ItemID), quantityOf(item, index)];
}

function pricedLineOf({ unitPrice, discountAmount = "0", ...item }: Item, index: number) {
  if (unitPrice === undefined) throw pricesDiffer(index, unitPrice);
  const [itemId, quantity] = lineOf(item, index);
  const [price, discount] = [parseMoney(unitPrice), parseMoney(discountAmount)];
  const gross = price * quantity;
  if (gross > grossMax)
    throw new InvalidInput(
      `items[${index}].unitPrice`,
      `at most ${moneyText(grossMax)} for all units together`,
      unitPrice,
    );
  if (discount > gross)
    throw new InvalidInput(
      `items[${index}].discountAmount`,
      `at most the price of all units, ${moneyText(gross)}`,
      discountAmount,
    );
  return [itemId, quantity, price, discount] satisfies Lines[number];
}

/** The most that a line may cost, × 10,000: a sum of thousands of such lines is exact. */
export const grossMax = 1e12;

function pricesDiffer(index: number, unitPrice: string | undefined): InvalidInput {
  return new InvalidInput(`items[${index}].unitPrice`, "a price in all items or in none", unitPrice);
}

function quantityOf(item: Item, index: number): number {
  const quantity = item.numberOfItems ?? item["numberOfItems:"];
  if (quantity === undefined) throw new InvalidInput(`items[${index}].numberOfItems`, expectedQuantity, quantity);
  if (item.numberOfItems !== undefined && item["numberOfItems:"] !== undefined)
    throw new InvalidInput(`items[${index}]`, 'one of "numberOfItems" and "numberOfItems:"', item);
  return quantity;
}

/** The items as clients send and read them: `linesOf` makes the same lines of them. */
export function itemsOfLines(lines: Lines): ShownItem[] {
  return lines.map((line) => {
    const [ItemID, numberOfItems] = line;
    if (line.length === 2) return { ItemID, numberOfItems };
    const [, , unitPrice, discount] = line;
    return {
      ItemID,
      numberOfItems,
      unitPrice: moneyText(unitPrice),
      discountAmount: moneyText(discount),
    };
  });
}

/** Items in a cell, as "85571:3 12:1" or, with price and discount, "85571:3:1.99:0.5 12:1:2"; or in own columns, where
 * each line of the file sells one item. */
export const itemCells: CellForm = {
  read: (cell) =>
    cell
      .trim()
      .split(/\s+/)
      .map((part) => itemOf(part, cell)),
  write: (value) => (isSold(value) ? value.map(partOf).join(" ") : ""),
  columns: {
    names: ["ItemID", "numberOfItems"],
    optional: ["unitPrice", "discountAmount"],
    cellOf: (cells) =>
      cells
        .map((one) => one.trim())
        .join(":")
        .replace(/::?$/, ""),
  },
};

function itemOf(part: string, cell: string): Item {
  const [, ItemID, quantity, unitPrice = "", discountAmount = ""] =
    /^(\d+):(\d+)(?::([^:]*))?(?::([^:]*))?$/.exec(part) ?? [];
  if (ItemID === undefined)
    throw new InvalidInput("items", "items and quantities such as 85571:3 12:1, or with prices 85571:3:1.99", cell);
  return {
    ItemID,
    numberOfItems: Number(quantity),
    ...(unitPrice !== "" && { unitPrice }),
    ...(discountAmount !== "" && { discountAmount }),
  };
}

function partOf({ ItemID, numberOfItems, unitPrice, discountAmount }: ShownItem): string {
  return [ItemID, numberOfItems, unitPrice, discountAmount].filter((value) => value !== undefined).join(":");
}

function isSold(value: unknown): value is readonly ShownItem[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && "ItemID" in item);
}
