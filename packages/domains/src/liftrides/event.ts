import { eventIdOfKey } from "@tally/pipeline";
import { Type, type Static } from "typebox";
import { EventId, StoredNumber } from "../stored-values.ts";

/** One ride on a lift, as it travels and as it is stored. `minute` of the day. */
export const LiftRideEvent = Type.Object(
  {
    id: EventId,
    resort: Type.String({ minLength: 1, maxLength: 64, expected: "a resort of 1 to 64 characters" }),
    season: StoredNumber,
    day: StoredNumber,
    skierId: StoredNumber,
    minute: StoredNumber,
    liftId: StoredNumber,
  },
  { additionalProperties: false },
);
export type LiftRideEvent = Static<typeof LiftRideEvent>;

/** What a ride is, without its id. */
export type LiftRide = Omit<LiftRideEvent, "id">;

/**
 * A skier is on one lift at one time: who, where and when is the ride (contract, section 4). So its id is made of that, and the same ride
 * sent twice is one event, whatever key it came with.
 */
export function liftRideEvent(ride: LiftRide): LiftRideEvent {
  const { resort, season, day, skierId, minute, liftId } = ride;
  // The resort last: it may hold any character.
  const key = `${season}/${day}/${skierId}/${minute}/${liftId}/${resort}`;
  return { id: eventIdOfKey("liftrides", key), ...ride };
}

/** How far down a ride leads (contract, section 4). */
export function verticalOf({ liftId }: LiftRide): number {
  return liftId * 10;
}
