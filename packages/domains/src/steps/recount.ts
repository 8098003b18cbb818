import type { Recount } from "@tally/pipeline";
import { usersOfDay } from "./rank.ts";

const selectIds = "SELECT id FROM steps";
const selectRowsOfBatches = "SELECT producer, sequence, COUNT(*) FROM steps GROUP BY producer, sequence";
const selectStepsOfDays = `
  SELECT day, user_id, CAST(SUM(steps) AS UNSIGNED) FROM steps GROUP BY day, user_id ORDER BY day`;

/** What all steps add up to: the same that rank() says of each. */
export const recount: Recount = {
  ids: selectIds,
  rowsOfBatches: selectRowsOfBatches,
  boards: [{ cells: selectStepsOfDays, board: usersOfDay }],
};
