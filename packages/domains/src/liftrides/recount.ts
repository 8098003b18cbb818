import type { Recount } from "@tally/pipeline";
import { boardOf } from "./rank.ts";

const selectIds = "SELECT id FROM lift_rides";
const selectRowsOfBatches = "SELECT producer, sequence, COUNT(*) FROM lift_rides GROUP BY producer, sequence";
const selectVerticals = `
  SELECT CONCAT(season, ':', day, ':', resort), skier_id, CAST(SUM(vertical) AS UNSIGNED)
  FROM lift_rides GROUP BY season, day, resort, skier_id ORDER BY season, day, resort`;

// As event.ts and eventIdOfKey say, apart from the digits around its version. So no ride is stored under two ids.
const selectForeign = `
  SELECT CONCAT('ride ', LOWER(HEX(id)), ' is not what its id was made of')
  FROM (
    SELECT id, lift_id, vertical, HEX(id) AS own, UPPER(SHA2(CONCAT(
      '9:liftrides:', season, '/', day, '/', skier_id, '/', minute, '/', lift_id, '/', resort), 256)) AS made
    FROM lift_rides
  ) AS rides
  WHERE vertical <> 10 * lift_id OR LEFT(own, 12) <> LEFT(made, 12) OR RIGHT(own, 15) <> SUBSTR(made, 18, 15)`;

/** What all rides add up to: the same that rank() says of each. And that each is the one that its id was made of. */
export const recount: Recount = {
  ids: selectIds,
  rowsOfBatches: selectRowsOfBatches,
  boards: [{ cells: selectVerticals, board: boardOf }],
  contradictions: [selectForeign],
};
