import type { Change, Moves } from "@tally/contract";
import type { StepsEvent } from "./event.ts";

/** The board of a day: users by their steps. */
export function usersOfDay(day: number | string): string {
  return `day:${day}`;
}

/** Each new event counts its steps for its user on its day. */
export function rank(changes: readonly Change<StepsEvent>[], moves: Moves): void {
  for (const { event } of changes) moves.add(usersOfDay(event.day), String(event.userId), event.steps);
}
