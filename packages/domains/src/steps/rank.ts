import { rangesOfIds } from "@tally/contract";
import type { Change, Moves, Recount } from "@tally/contract";
import type { StepsEvent } from "./event.ts";

export const usersOfDay = (day: number): string => `day:${day}`;

export function rank(changes: readonly Change<StepsEvent>[], moves: Moves): void {
  for (const { event } of changes) moves.add(usersOfDay(event.day), String(event.userId), event.steps);
}

/** The sums of what rank() adds for each event. */
export const recount: Recount = {
  ids: [rangesOfIds("id", "steps")],
  boards: [{ rows: [rangesOfIds("CONCAT('day:', day), user_id, steps, producer, sequence", "steps")] }],
};
