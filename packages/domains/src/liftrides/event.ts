import { eventIdOfKey } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, EventId, StoredNumber } from "../values.ts";

/** Keeps the vertical of all rides of a skier on a day below 2^53, up to which Redis counts exactly. */
export const liftIdMax = 1_000_000;

/** One ride on a lift, in messages and as stored. `skierId`: null where the client does not say who rode. */
export const LiftRideEvent = closed({
  id: EventId,
  resort: Type.String({ minLength: 1, maxLength: 64, expected: "a resort of 1 to 64 characters" }),
  season: StoredNumber,
  day: StoredNumber,
  skierId: Type.Union([StoredNumber, Type.Null()]),
  minute: StoredNumber,
  liftId: Type.Integer({ minimum: 0, maximum: liftIdMax, expected: `an integer from 0 to ${liftIdMax}` }),
});
export type LiftRideEvent = Static<typeof LiftRideEvent>;

export interface LiftRide extends Omit<LiftRideEvent, "id"> {
  readonly skierId: number;
}

/** A skier is on one lift at one time, so these fields identify the ride and make its id: sent twice, it is one event,
 * with any Idempotency-Key. */
export function liftRideEvent(ride: LiftRide): LiftRideEvent {
  const { resort, season, day, skierId, minute, liftId } = ride;
  // The resort is last: it may contain any character.
  const key = `${season}/${day}/${skierId}/${minute}/${liftId}/${resort}`;
  return { id: eventIdOfKey("liftrides", key), ...ride };
}

/** In the units of the published interface. */
export function verticalOf({ liftId }: Pick<LiftRideEvent, "liftId">): number {
  return liftId * 10;
}
