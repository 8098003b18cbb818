import { Type } from "typebox";

/** The id of every stored event. */
export const EventId = Type.String({ pattern: "^[0-9a-f-]{36}$", expected: "a UUID" });

/** An id or another integer from 0 in an event. */
export const StoredNumber = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  expected: `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`,
});
