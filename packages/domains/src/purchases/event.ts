import { Type, type Static } from "typebox";
import { closed, EventId, labels, StoredNumber } from "../values.ts";

export const itemsMax = 500;
const ofItems = { minItems: 1, maxItems: itemsMax };

export const expectedQuantity = "an integer from 1 to 1000000";
export const Quantity = Type.Integer({ minimum: 1, maximum: 1_000_000, expected: expectedQuantity });

const DateNumber = Type.Integer({ minimum: 1000_01_01, maximum: 9999_12_31, expected: "a date as yyyymmdd" });

/** One sold item: its id and its quantity. A pair is smaller than an object, and a purchase has about 5. */
const Item = Type.Tuple([StoredNumber, Quantity]);

/** With the price of a unit and the discount on all units, each × 10,000. All units together stay below 2^53. */
const PricedItem = Type.Refine(
  Type.Tuple([StoredNumber, Quantity, StoredNumber, StoredNumber]),
  ([, quantity, unitPrice, discount]) => Number.isSafeInteger(unitPrice * quantity) && discount <= unitPrice * quantity,
);

/** A purchase, in messages and as stored. `date`: the business day, yyyymmdd as a number. `lines`: its items, all of
 * them with a price or none. `soldAt`: in ms since 1970, by the till's clock. */
export const PurchaseEvent = closed({
  id: EventId,
  storeId: StoredNumber,
  customerId: StoredNumber,
  date: DateNumber,
  // Items without a price first: they are most, and then no other check runs.
  lines: Type.Union([Type.Array(Item, ofItems), Type.Array(PricedItem, ofItems)]),
  soldAt: Type.Optional(Type.Integer({ minimum: 0, maximum: Date.UTC(9999, 11, 31) })),
});
export type PurchaseEvent = Static<typeof PurchaseEvent>;

export const Reason = labels(200);

/** Takes back a whole purchase, in its store and on its day. `note`: the store that the gateway checks; and why. */
export const VoidEvent = closed({
  kind: Type.Literal("void"),
  id: EventId,
  saleId: EventId,
  note: Type.Optional(closed({ storeId: Type.Optional(StoredNumber), reason: Type.Optional(Reason) })),
});
export type VoidEvent = Static<typeof VoidEvent>;

/** A line of a purchase, from 0; its item; how many of them are taken back; perhaps for which amount, × 10,000. */
const ofLine = [Type.Integer({ minimum: 0, maximum: itemsMax - 1 }), StoredNumber, Quantity] as const;
const RefundedLine = Type.Union([Type.Tuple([...ofLine]), Type.Tuple([...ofLine, StoredNumber])]);

/** Takes back items of a purchase, in the store and on the business day of the refund. */
export const RefundEvent = closed({
  kind: Type.Literal("refund"),
  id: EventId,
  saleId: EventId,
  storeId: StoredNumber,
  date: DateNumber,
  lines: Type.Array(RefundedLine, ofItems),
});
export type RefundEvent = Static<typeof RefundEvent>;

export type Correction = VoidEvent | RefundEvent;

const itemQuantity = [StoredNumber, Type.Integer()] as const;
/** What a correction counts: item, -quantity; of a refund with an amount -net, × 10,000; of a void -net and -gross. */
export const CountedLines = Type.Array(
  Type.Union([
    Type.Tuple([...itemQuantity]),
    Type.Tuple([...itemQuantity, Type.Integer()]),
    Type.Tuple([...itemQuantity, Type.Integer(), Type.Integer()]),
  ]),
);

/** An event of the domain. A purchase has no kind: it is older than the others. */
export const SalesEvent = Type.Union([PurchaseEvent, VoidEvent, RefundEvent]);
export type SalesEvent = PurchaseEvent | Correction;

export const isCorrection = (event: SalesEvent): event is Correction => "kind" in event;

/** Raise it with every change of the schema: see Domain. */
export const eventVersion = 3;
