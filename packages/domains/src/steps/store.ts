import { eventTable } from "../event-table.ts";
import { StepsEvent } from "./event.ts";

/** Steps have no natural key, because those of one hour add up: a row is new if its event id is. */
export const store = eventTable(StepsEvent, "steps", { userId: "user_id", day: "day", hour: "hour", steps: "steps" });
