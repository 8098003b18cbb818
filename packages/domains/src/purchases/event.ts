import { Type, type Static } from "typebox";
import { closed, EventId, StoredNumber } from "../values.ts";

export const itemsMax = 500;
const ofItems = { minItems: 1, maxItems: itemsMax };

const Quantity = Type.Integer({ minimum: 1, maximum: 1_000_000 });

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
  date: Type.Integer({ minimum: 1000_01_01, maximum: 9999_12_31, expected: "a date as yyyymmdd" }),
  // Items without a price first: they are most, and then no other check runs.
  lines: Type.Union([Type.Array(Item, ofItems), Type.Array(PricedItem, ofItems)]),
  soldAt: Type.Optional(Type.Integer({ minimum: 0, maximum: Date.UTC(9999, 11, 31) })),
});
export type PurchaseEvent = Static<typeof PurchaseEvent>;

/** Raise it with every change of the schema: see Domain. */
export const eventVersion = 2;
