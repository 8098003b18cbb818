import { Type } from "typebox";

/** An Idempotency-Key, in a header or in an entry of a bulk request. */
export const IdempotencyKey = Type.String({
  pattern: "^[\\x21-\\x7e]{1,255}$",
  expected: "1 to 255 visible ASCII characters",
});
