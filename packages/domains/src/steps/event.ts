import type { Static } from "typebox";
import { closed, EventId, StoredNumber } from "../values.ts";
import { eventTable } from "../event-table.ts";

/** Steps of a user within an hour of a day, in messages and as stored. Several events of one hour add up. */
export const StepsEvent = closed({
  id: EventId,
  userId: StoredNumber,
  day: StoredNumber,
  hour: StoredNumber,
  steps: StoredNumber,
});
export type StepsEvent = Static<typeof StepsEvent>;

/** Steps have no natural key, because those of one hour add up: a row is new if its event id is. */
export const store = eventTable(StepsEvent, "steps", { userId: "user_id", day: "day", hour: "hour", steps: "steps" });
