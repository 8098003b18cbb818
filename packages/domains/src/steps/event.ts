import { Type, type Static } from "typebox";
import { closed, EventId, StoredNumber } from "../values.ts";
import { eventTable } from "../event-table.ts";

/** The most steps of one event. */
export const stepsMax = 100_000;

/** Steps of a user within an hour of a day, in messages and as stored. Several events of one hour add up. */
export const StepsEvent = closed({
  id: EventId,
  userId: StoredNumber,
  day: StoredNumber,
  hour: StoredNumber,
  steps: Type.Integer({ minimum: 0, maximum: stepsMax, expected: `an integer from 0 to ${stepsMax}` }),
});
export type StepsEvent = Static<typeof StepsEvent>;

/** Steps have no natural key, because those of one hour add up: a row is new if its event id is. */
export const store = eventTable(StepsEvent, "steps", { userId: "user_id", day: "day", hour: "hour", steps: "steps" });
