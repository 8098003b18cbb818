import { Type, type Static } from "typebox";
import { closed, EventId, StoredNumber } from "../values.ts";

export const itemsMax = 500;

/** One sold item: its id and its quantity. A pair is smaller than an object, and a purchase has about 5. */
const Item = Type.Tuple([StoredNumber, Type.Integer({ minimum: 1, maximum: 1_000_000 })]);

/** A purchase, in messages and as stored. `date`: the business day, yyyymmdd as a number. `lines`: its items. */
export const PurchaseEvent = closed({
  id: EventId,
  storeId: StoredNumber,
  customerId: StoredNumber,
  date: Type.Integer({ minimum: 1000_01_01, maximum: 9999_12_31, expected: "a date as yyyymmdd" }),
  lines: Type.Array(Item, { minItems: 1, maxItems: itemsMax }),
});
export type PurchaseEvent = Static<typeof PurchaseEvent>;

/** Raise it with every change of the schema: see Domain. */
export const eventVersion = 1;
