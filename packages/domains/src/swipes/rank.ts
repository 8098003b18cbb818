import type { Moves } from "@tally/contract";
import type { SwipeChange } from "./newest.ts";

/** The only board: users by how many users like them now. */
export const likesBoard = "likes";

/** A like counts for its swipee until a newer swipe of the same user removes it. */
export function rank(changes: readonly SwipeChange[], moves: Moves): void {
  for (const { event, before, after } of changes) {
    const by = Number(after) - Number(before ?? false);
    if (by !== 0) moves.add(likesBoard, String(event.swipee), by);
  }
}
