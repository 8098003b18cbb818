import { Type } from "typebox";

/** An Idempotency-Key, as a header or within an entry of a bulk request: 1 to 255 visible ASCII characters. */
export const IdempotencyKey = Type.String({
  pattern: "^[\\x21-\\x7e]{1,255}$",
  expected: "1 to 255 visible ASCII characters",
});
