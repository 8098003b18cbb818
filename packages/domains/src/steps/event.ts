import { Type, type Static } from "typebox";
import { EventId, StoredNumber } from "../stored-values.ts";

/** Steps of a user within an hour of a day, in messages and as stored. Several events of one hour add up. */
export const StepsEvent = Type.Object(
  { id: EventId, userId: StoredNumber, day: StoredNumber, hour: StoredNumber, steps: StoredNumber },
  { additionalProperties: false },
);
export type StepsEvent = Static<typeof StepsEvent>;
