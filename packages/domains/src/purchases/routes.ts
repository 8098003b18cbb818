import { bulkRoute, IdempotencyKey, ingestRoute, type EventFiles } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, ids, numberFilter } from "../values.ts";
import { BusinessDate, DateText, parseCalendarDate } from "./calendar-date.ts";
import { checkPurchase } from "./currency.ts";
import type { PurchaseEvent } from "./event.ts";
import { itemCells, Items, itemsOfLines, linesOf } from "./lines.ts";
import { parseSoldAt, SoldAt } from "./sold-at.ts";
import { purchaseTable } from "./store.ts";
import { encodeUsualPurchase } from "./usual-purchase.ts";

const content = { items: Items, soldAt: Type.Optional(SoldAt) };

const Body = closed(content, { expected: 'an object {"items": [...]}' });

const Params = Type.Object({ storeID: ids.Text, custID: ids.Text, date: DateText });

const Entry = closed(
  {
    storeID: ids.Value,
    custID: ids.Value,
    date: BusinessDate,
    ...content,
    idempotencyKey: Type.Optional(IdempotencyKey),
  },
  { expected: "an object with storeID, custID, date and items" },
);

const onePurchase = ingestRoute({
  path: "/purchase/:storeID/customer/:custID/date/:date",
  summary: "one purchase",
  description:
    "Its event id is in `Tally-Event-Id`. All items have a `unitPrice`, or none; prices need a currency of the store, or `CURRENCY`. A `discountAmount` is for all units of its item. `date` is tomorrow in the time zone of the store at the latest",
  params: Params,
  body: Body,
  scope: (params) => scopeOfStore(params.storeID),
  storeOf: ({ storeID }) => ids.parse("storeID", storeID),
  toEvent: (id, params, body) => purchase(id, { ...params, ...body }),
  check: checkPurchase,
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
    "As a JSON array or as lines of JSON (`application/x-ndjson`). The status is that of all entries when they agree, else 207. An entry without `idempotencyKey` is the same event when the request comes again with the same `Idempotency-Key` and the same API key",
  entry: Entry,
  entriesMax: 1000,
  scope: (entry) => scopeOfStore(entry.storeID),
  storeOf: ({ storeID }) => ids.parse("storeID", storeID),
  key: (entry) => entry.idempotencyKey,
  toEvent: purchase,
  check: checkPurchase,
  examples: {
    "purchases of three stores": {
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
          items: [{ ItemID: "85571", numberOfItems: 2, unitPrice: "1.99", discountAmount: "0.50" }],
          soldAt: "2026-11-21T10:29:58+01:00",
          idempotencyKey: "till-7-000001",
        },
        {
          storeID: 9,
          custID: 9001,
          date: 20261121,
          items: [{ ItemID: 4242, numberOfItems: 1 }],
          idempotencyKey: "till-9-000001",
        },
      ],
    },
  },
});

export const purchaseRoutes = [onePurchase, manyPurchases];

/** "007" and 7 are one store, so they are one scope. */
export function scopeOfStore(storeId: string | number): string {
  return `purchases/${Number(storeId)}`;
}

function purchase(id: string, entry: Static<typeof Entry>): PurchaseEvent {
  return {
    id,
    storeId: ids.parse("storeID", entry.storeID),
    customerId: ids.parse("custID", entry.custID),
    date: parseCalendarDate("date", String(entry.date)),
    lines: linesOf(entry.items),
    ...(entry.soldAt !== undefined && { soldAt: parseSoldAt(entry.soldAt) }),
  };
}

/** The fields of a purchase as clients send and read them. `POST /purchases` makes the same purchase of them. */
export const fields = {
  storeID: ({ storeId }: PurchaseEvent) => storeId,
  custID: ({ customerId }: PurchaseEvent) => customerId,
  date: ({ date }: PurchaseEvent) => String(date),
  items: ({ lines }: PurchaseEvent) => itemsOfLines(lines),
  soldAt: ({ soldAt }: PurchaseEvent) => (soldAt === undefined ? undefined : new Date(soldAt).toISOString()),
};

export const files: EventFiles<PurchaseEvent> = {
  rows: purchaseTable,
  fields,
  order: "id",
  filters: {
    store: numberFilter("store_id = ?", "--store", ids),
    date: { where: "purchased_on = ?", parse: (text) => parseCalendarDate("--date", text) },
  },
  cells: { items: itemCells },
};
