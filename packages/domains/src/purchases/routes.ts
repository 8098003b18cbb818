import { bulkRoute, IdempotencyKey, ingestRoute, InvalidInput, type CellForm, type EventFiles } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, ids, numberFilter } from "../values.ts";
import { DateText, parseBusinessDate, parseCalendarDate } from "./calendar-date.ts";
import { itemsMax, type PurchaseEvent } from "./event.ts";
import { store } from "./store.ts";
import { encodeUsualPurchase } from "./usual-purchase.ts";

const expectedQuantity = "an integer from 1 to 1000000";

const Quantity = Type.Integer({ minimum: 1, maximum: 1_000_000, expected: expectedQuantity });

const Item = closed(
  {
    ItemID: ids.Value,
    numberOfItems: Type.Optional(Quantity),
    // The published model writes the key with a colon.
    "numberOfItems:": Type.Optional(Quantity),
  },
  { expected: "an object with ItemID and numberOfItems" },
);
const Items = Type.Array(Item, { minItems: 1, maxItems: itemsMax, expected: `a list of 1 to ${itemsMax} items` });

const Body = closed({ items: Items }, { expected: 'an object {"items": [...]}' });

const Params = Type.Object({ storeID: ids.Text, custID: ids.Text, date: DateText });

const Entry = closed(
  {
    storeID: ids.Value,
    custID: ids.Value,
    date: Type.Union([Type.String(), Type.Integer()], { expected: "a calendar date as yyyymmdd" }),
    items: Items,
    idempotencyKey: Type.Optional(IdempotencyKey),
  },
  { expected: "an object with storeID, custID, date and items" },
);

const onePurchase = ingestRoute({
  path: "/purchase/:storeID/customer/:custID/date/:date",
  summary: "one purchase",
  description: "Its event id is in `Tally-Event-Id`",
  params: Params,
  body: Body,
  scope: (params) => scopeOf(params.storeID),
  storeOf: ({ storeID }) => ids.parse("storeID", storeID),
  toEvent: (id, params, body) => purchase(id, { ...params, ...body }),
  encodeUsual: encodeUsualPurchase,
  status: 201,
  examples: {
    "two items": {
      params: { storeID: "5", custID: "5001", date: "20261120" },
      body: {
        items: [
          { ItemID: "85571", numberOfItems: 3 },
          { ItemID: 4242, numberOfItems: 1 },
        ],
      },
      idempotencyKey: "till-5-000017",
    },
  },
});

const manyPurchases = bulkRoute({
  path: "/purchases",
  summary: "many purchases",
  description:
    "As a JSON array or as lines of JSON (`application/x-ndjson`). The status is that of all entries when they agree, else 207",
  entry: Entry,
  entriesMax: 1000,
  scope: (entry) => scopeOf(entry.storeID),
  storeOf: ({ storeID }) => ids.parse("storeID", storeID),
  key: (entry) => entry.idempotencyKey,
  toEvent: purchase,
  examples: {
    "purchases of two stores": {
      entries: [
        {
          storeID: 5,
          custID: 5002,
          date: "20261120",
          items: [{ ItemID: 4242, numberOfItems: 4 }],
          idempotencyKey: "till-5-000018",
        },
        {
          storeID: "7",
          custID: "7001",
          date: 20261121,
          items: [{ ItemID: "85571", numberOfItems: 2 }],
          idempotencyKey: "till-7-000001",
        },
      ],
    },
  },
});

export const routes = [onePurchase, manyPurchases];

// "007" and 7 are one store, so they are one scope.
function scopeOf(storeId: string | number): string {
  return `purchases/${Number(storeId)}`;
}

function purchase(id: string, entry: Static<typeof Entry>): PurchaseEvent {
  return {
    id,
    storeId: ids.parse("storeID", entry.storeID),
    customerId: ids.parse("custID", entry.custID),
    date: parseBusinessDate("date", String(entry.date)),
    lines: entry.items.map((item, index) => [
      ids.parse(`items[${index}].ItemID`, item.ItemID),
      quantityOf(item, index),
    ]),
  };
}

function quantityOf(item: Static<typeof Item>, index: number): number {
  const quantity = item.numberOfItems ?? item["numberOfItems:"];
  if (quantity === undefined) throw new InvalidInput(`items[${index}].numberOfItems`, expectedQuantity, null);
  if (item.numberOfItems !== undefined && item["numberOfItems:"] !== undefined)
    throw new InvalidInput(`items[${index}]`, 'one of "numberOfItems" and "numberOfItems:"', item);
  return quantity;
}

/** The fields of a purchase as clients send and read them. `POST /purchases` makes the same purchase of them. */
export const fields = {
  storeID: ({ storeId }: PurchaseEvent) => storeId,
  custID: ({ customerId }: PurchaseEvent) => customerId,
  date: ({ date }: PurchaseEvent) => String(date),
  items: ({ lines }: PurchaseEvent) => lines.map(([ItemID, numberOfItems]) => ({ ItemID, numberOfItems })),
};

interface SoldItem {
  readonly ItemID: number | string;
  readonly numberOfItems: number;
}

/** Items in a cell, as "85571:3 12:1"; or in two columns, where each line of the file sells one item. */
const items: CellForm = {
  read: (cell): readonly SoldItem[] =>
    cell
      .trim()
      .split(/\s+/)
      .map((pair) => {
        const [, ItemID, quantity] = /^(\d+):(\d+)$/.exec(pair) ?? [];
        if (ItemID === undefined) throw new InvalidInput("items", "items and quantities such as 85571:3 12:1", cell);
        return { ItemID, numberOfItems: Number(quantity) };
      }),
  write: (value) => (isSold(value) ? value.map((item) => `${item.ItemID}:${item.numberOfItems}`).join(" ") : ""),
  columns: { names: ["ItemID", "numberOfItems"], cellOf: (cells) => cells.map((cell) => cell.trim()).join(":") },
};

function isSold(value: unknown): value is readonly SoldItem[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && "ItemID" in item);
}

export const files: EventFiles<PurchaseEvent> = {
  rows: store,
  fields,
  order: "id",
  filters: {
    store: numberFilter("store_id = ?", "--store", ids),
    date: { where: "purchased_on = ?", parse: (text) => parseCalendarDate("--date", text) },
  },
  cells: { items },
};
