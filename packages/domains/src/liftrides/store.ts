import { eventTable } from "../event-table.ts";
import { LiftRideEvent, verticalOf } from "./event.ts";

/** The id of a skier's ride is made of all its fields, so a row is new if its id is. */
export const store = eventTable(
  LiftRideEvent,
  "lift_rides",
  { resort: "resort", season: "season", day: "day", skierId: "skier_id", minute: "minute", liftId: "lift_id" },
  { vertical: verticalOf },
);
