import type { Change, Moves } from "@tally/contract";
import { verticalOf, type LiftRideEvent } from "./event.ts";

/** The board of a day at a resort: its skiers by their vertical. */
export function skiersOfDay(season: number, day: number, resort: string): string {
  return boardOf(`${season}:${day}:${resort}`);
}

/** The same by the key of `recount`. */
export function boardOf(key: string): string {
  return `day:${key}`;
}

/** Each new ride counts its vertical for its skier on its day. One of an unknown skier counts for no skier. */
export function rank(changes: readonly Change<LiftRideEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    if (event.skierId === null) continue;
    moves.add(skiersOfDay(event.season, event.day, event.resort), String(event.skierId), verticalOf(event));
  }
}
