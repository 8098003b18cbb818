import { Type, type Static } from "typebox";
import { EventId, StoredNumber } from "../stored-values.ts";

/** Steps that a user took within an hour of a day, as they travel and as they are stored. Several of one hour add up. */
export const StepsEvent = Type.Object(
  { id: EventId, userId: StoredNumber, day: StoredNumber, hour: StoredNumber, steps: StoredNumber },
  { additionalProperties: false },
);
export type StepsEvent = Static<typeof StepsEvent>;
