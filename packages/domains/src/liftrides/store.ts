import { eventStore } from "../event-rows.ts";
import { verticalOf, type LiftRideEvent } from "./event.ts";

/** The id of a skier's ride is made of all its fields, so a row is new if its id is. */
export const store = eventStore<LiftRideEvent>({
  insert:
    "INSERT INTO lift_rides (id, resort, season, day, skier_id, minute, lift_id, vertical, producer, sequence) VALUES ?",
  row: (ride) => [ride.resort, ride.season, ride.day, ride.skierId, ride.minute, ride.liftId, verticalOf(ride)],
  select: `
    SELECT id, resort, season, day, skier_id AS skierId, minute, lift_id AS liftId FROM lift_rides WHERE id IN (?)`,
  selectBatch: "SELECT producer, sequence FROM lift_rides WHERE id = ?",
});
