import type { Change, Moves, Recount } from "@tally/contract";
import type { StepsEvent } from "./event.ts";

export const usersOfDay = (day: number | string): string => `day:${day}`;

export function rank(changes: readonly Change<StepsEvent>[], moves: Moves): void {
  for (const { event } of changes) moves.add(usersOfDay(event.day), String(event.userId), event.steps);
}

const selectStepsOfDays = `
  SELECT day, user_id, CAST(SUM(steps) AS UNSIGNED) FROM steps GROUP BY day, user_id ORDER BY day`;

/** The sums of what rank() adds for each event. */
export const recount: Recount = {
  ids: "SELECT id FROM steps",
  rowsOfBatches: "SELECT producer, sequence, COUNT(*) FROM steps GROUP BY producer, sequence",
  boards: [{ cells: selectStepsOfDays, board: usersOfDay }],
};
