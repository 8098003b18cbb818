import { Type, type Static } from "typebox";

const Id = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  expected: "an integer from 0 to 9007199254740991",
});

/** The most lines that one purchase may have (contract, section 5). */
export const linesMax = 500;

/** One sold item: its id and how many of it. A pair and no object, because 5 of them travel with each purchase. */
const Line = Type.Tuple([Id, Type.Integer({ minimum: 1, maximum: 1_000_000 })]);

/** A purchase as it travels and as it is stored. `date` is the business day, yyyymmdd as a number. */
export const PurchaseEvent = Type.Object(
  {
    id: Type.String({ pattern: "^[0-9a-f-]{36}$", expected: "a UUID" }),
    storeId: Id,
    customerId: Id,
    date: Type.Integer({ minimum: 1000_01_01, maximum: 9999_12_31, expected: "a date as yyyymmdd" }),
    lines: Type.Array(Line, { minItems: 1, maxItems: linesMax }),
  },
  { additionalProperties: false },
);
export type PurchaseEvent = Static<typeof PurchaseEvent>;
