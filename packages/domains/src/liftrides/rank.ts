import { rangesOfIds } from "@tally/contract";
import type { Change, Moves, Recount } from "@tally/contract";
import { verticalOf, type LiftRideEvent } from "./event.ts";

/** The board of a day at a resort: its skiers by their vertical. */
export const skiersOfDay = (season: number, day: number, resort: string): string => `day:${season}:${day}:${resort}`;

/** Each new ride counts its vertical for its skier on its day. One of an unknown skier counts for no skier. */
export function rank(changes: readonly Change<LiftRideEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    if (event.skierId === null) continue;
    moves.add(skiersOfDay(event.season, event.day, event.resort), String(event.skierId), verticalOf(event));
  }
}

const verticals = "CONCAT('day:', season, ':', day, ':', resort), skier_id, vertical, producer, sequence";
const ids = rangesOfIds("id", "lift_rides");

// Makes each id again, as event.ts and eventIdOfKey do, without the digits around its version. So no ride is stored
// under two ids. The id of a ride of an unknown skier is not made of its content: SHA2 of NULL is NULL, so only its
// vertical is checked.
const selectForeign = `
  SELECT CONCAT('ride ', LOWER(HEX(id)), ' does not match its id')
  FROM (
    SELECT id, lift_id, vertical, HEX(id) AS own, UPPER(SHA2(CONCAT(
      '9:liftrides:', season, '/', day, '/', skier_id, '/', minute, '/', lift_id, '/', resort), 256)) AS made
    FROM lift_rides WHERE id > ? AND id <= ?
  ) AS rides
  WHERE vertical <> 10 * lift_id OR LEFT(own, 12) <> LEFT(made, 12) OR RIGHT(own, 15) <> SUBSTR(made, 18, 15)`;

/** The sums of what rank() adds for each ride, and a check that each ride matches its id. */
export const recount: Recount = {
  ids: [ids],
  boards: [{ rows: [rangesOfIds(verticals, "lift_rides")] }],
  contradictions: [{ ...ids, select: selectForeign }],
};
