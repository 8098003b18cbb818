import { bulkRoute, IdempotencyKey, ingestRoute, InvalidInput } from "@tally/contract";
import { Type, type Static } from "typebox";
import { ids } from "../request-values.ts";
import { DateText, parseCalendarDate } from "./calendar-date.ts";
import { linesMax, type PurchaseEvent } from "./event.ts";
import { encodeUsualPurchase } from "./usual-purchase.ts";

const expectedQuantity = "an integer from 1 to 1000000";

const Quantity = Type.Integer({ minimum: 1, maximum: 1_000_000, expected: expectedQuantity });

const Item = Type.Object(
  {
    ItemID: ids.Value,
    numberOfItems: Type.Optional(Quantity),
    // The published model writes the key with a colon (contract, section 5).
    "numberOfItems:": Type.Optional(Quantity),
  },
  { additionalProperties: false, expected: "an object with ItemID and numberOfItems" },
);
const Items = Type.Array(Item, { minItems: 1, maxItems: linesMax, expected: `a list of 1 to ${linesMax} items` });

const Body = Type.Object({ items: Items }, { additionalProperties: false, expected: 'an object {"items": [...]}' });

const Params = Type.Object({ storeID: ids.Text, custID: ids.Text, date: DateText });

const Entry = Type.Object(
  {
    storeID: ids.Value,
    custID: ids.Value,
    date: Type.Union([Type.String(), Type.Integer()], { expected: "a calendar date as yyyymmdd" }),
    items: Items,
    idempotencyKey: Type.Optional(IdempotencyKey),
  },
  { additionalProperties: false, expected: "an object with storeID, custID, date and items" },
);

const onePurchase = ingestRoute({
  path: "/purchase/:storeID/customer/:custID/date/:date",
  summary: "one purchase",
  description: "Its event id is in `Tally-Event-Id`",
  params: Params,
  body: Body,
  scope: (params) => scopeOf(params.storeID),
  storeOf: ({ storeID }) => ids.parse("storeID", storeID),
  toEvent: (id, params, body) => purchase(id, params.storeID, params.custID, params.date, body.items),
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
  toEvent: (id, entry) => purchase(id, entry.storeID, entry.custID, String(entry.date), entry.items),
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

/** How purchases come in. */
export const routes = [onePurchase, manyPurchases];

// "007" and 7 are one store, so they are one scope.
function scopeOf(storeId: string | number): string {
  return `purchases/${Number(storeId)}`;
}

function purchase(
  id: string,
  storeId: string | number,
  customerId: string | number,
  date: string,
  items: Static<typeof Items>,
): PurchaseEvent {
  return {
    id,
    storeId: ids.parse("storeID", storeId),
    customerId: ids.parse("custID", customerId),
    date: parseCalendarDate("date", date),
    lines: items.map((item, index) => [ids.parse(`items[${index}].ItemID`, item.ItemID), quantityOf(item, index)]),
  };
}

function quantityOf(item: Static<typeof Item>, index: number): number {
  const quantity = item.numberOfItems ?? item["numberOfItems:"];
  if (quantity === undefined) throw new InvalidInput(`items[${index}].numberOfItems`, expectedQuantity, null);
  if (item.numberOfItems !== undefined && item["numberOfItems:"] !== undefined) {
    throw new InvalidInput(`items[${index}]`, 'one of "numberOfItems" and "numberOfItems:"', item);
  }
  return quantity;
}
