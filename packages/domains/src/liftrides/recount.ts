import type { Recount } from "@tally/pipeline";
import { boardOf } from "./rank.ts";

const selectIds = "SELECT id FROM lift_rides";
const selectRowsOfBatches = "SELECT producer, sequence, COUNT(*) FROM lift_rides GROUP BY producer, sequence";
const selectVerticals = `
  SELECT CONCAT(season, ':', day, ':', resort), skier_id, CAST(SUM(vertical) AS UNSIGNED)
  FROM lift_rides GROUP BY season, day, resort, skier_id ORDER BY season, day, resort`;

/** What all rides add up to: the same that rank() says of each. */
export const recount: Recount = {
  ids: selectIds,
  rowsOfBatches: selectRowsOfBatches,
  boards: [{ cells: selectVerticals, board: boardOf }],
};
