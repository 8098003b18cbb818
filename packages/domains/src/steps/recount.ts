import type { Recount } from "@tally/contract";
import { usersOfDay } from "./rank.ts";

const selectStepsOfDays = `
  SELECT day, user_id, CAST(SUM(steps) AS UNSIGNED) FROM steps GROUP BY day, user_id ORDER BY day`;

/** The sums of what rank() adds for each event. */
export const recount: Recount = {
  ids: "SELECT id FROM steps",
  rowsOfBatches: "SELECT producer, sequence, COUNT(*) FROM steps GROUP BY producer, sequence",
  boards: [{ cells: selectStepsOfDays, board: usersOfDay }],
};
