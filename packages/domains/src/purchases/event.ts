import { Type, type Static } from "typebox";
import { EventId, StoredNumber } from "../stored-values.ts";

/** For one purchase (contract, section 5). */
export const linesMax = 500;

/** One sold item: its id and its quantity. A pair is smaller than an object, and a purchase has about 5. */
const Line = Type.Tuple([StoredNumber, Type.Integer({ minimum: 1, maximum: 1_000_000 })]);

/** A purchase, in messages and as stored. `date` is the business day, yyyymmdd as a number. */
export const PurchaseEvent = Type.Object(
  {
    id: EventId,
    storeId: StoredNumber,
    customerId: StoredNumber,
    date: Type.Integer({ minimum: 1000_01_01, maximum: 9999_12_31, expected: "a date as yyyymmdd" }),
    lines: Type.Array(Line, { minItems: 1, maxItems: linesMax }),
  },
  { additionalProperties: false },
);
export type PurchaseEvent = Static<typeof PurchaseEvent>;
