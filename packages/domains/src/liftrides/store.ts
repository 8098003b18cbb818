import type { Recorded, SqlReader, SqlTransaction } from "@tally/pipeline";
import { addEvents, locateEvent, type EventTable } from "../event-rows.ts";
import { verticalOf, type LiftRideEvent } from "./event.ts";

const rides: EventTable<LiftRideEvent> = {
  insert:
    "INSERT INTO lift_rides (id, resort, season, day, skier_id, minute, lift_id, vertical, producer, sequence) VALUES ?",
  row(ride, id, producer, sequence) {
    const { resort, season, day, skierId, minute, liftId } = ride;
    return [id, resort, season, day, skierId, minute, liftId, verticalOf(ride), producer, sequence];
  },
  selectStored: "SELECT id FROM lift_rides WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM lift_rides WHERE id = ?",
};

/** The event's id is made of all that makes a ride, so a row is new when its id is. */
export const store = {
  async write(
    transaction: SqlTransaction,
    recorded: readonly Recorded<LiftRideEvent>[],
  ): Promise<readonly Recorded<LiftRideEvent>[]> {
    const added = await addEvents(transaction, rides, recorded);
    return added.map((one) => one.recorded);
  },
  locate: (reader: SqlReader, eventId: string) => locateEvent(reader, rides, eventId),
};
