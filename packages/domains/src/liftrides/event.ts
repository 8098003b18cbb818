import { eventIdOfKey } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, EventId, StoredNumber } from "../values.ts";

/**
 * One ride on a lift, in messages and as stored. `minute` of the day. `skierId`: null where the client does not say who
 * rode.
 */
export const LiftRideEvent = closed({
  id: EventId,
  resort: Type.String({ minLength: 1, maxLength: 64, expected: "a resort of 1 to 64 characters" }),
  season: StoredNumber,
  day: StoredNumber,
  skierId: Type.Union([StoredNumber, Type.Null()]),
  minute: StoredNumber,
  liftId: StoredNumber,
});
export type LiftRideEvent = Static<typeof LiftRideEvent>;

/** A ride without its id and its skier. */
export type AnyRide = Omit<LiftRideEvent, "id" | "skierId">;

/** A ride of a skier, without its id. */
export interface LiftRide extends AnyRide {
  readonly skierId: number;
}

/**
 * A skier is on one lift at one time, so these fields identify the ride (contract, section 4). The id is made of them:
 * the same ride sent twice is one event, with any Idempotency-Key.
 */
export function liftRideEvent(ride: LiftRide): LiftRideEvent {
  const { resort, season, day, skierId, minute, liftId } = ride;
  // The resort is last: it may contain any character.
  const key = `${season}/${day}/${skierId}/${minute}/${liftId}/${resort}`;
  return { id: eventIdOfKey("liftrides", key), ...ride };
}

/**
 * A ride of an unknown skier. Its content does not identify it, because two skiers may share a lift in one minute: its
 * id is that of the request, as for a purchase. So it is a new event, unless its request repeats an Idempotency-Key.
 */
export function rideOfUnknownSkier(id: string, ride: AnyRide): LiftRideEvent {
  return { id, ...ride, skierId: null };
}

/** The vertical of a ride (contract, section 4). */
export function verticalOf({ liftId }: AnyRide): number {
  return liftId * 10;
}
