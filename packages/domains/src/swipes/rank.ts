import type { Moves } from "@tally/pipeline";
import type { SwipeChange } from "./newest.ts";

/** The one board of swipes: users by how many like them now. */
export const likesBoard = "likes";

/** A like counts for whom it is about, until the same user's newer swipe takes it back. */
export function rank(changes: readonly SwipeChange[], moves: Moves): void {
  for (const { event, before, after } of changes) {
    const by = Number(after) - Number(before ?? false);
    if (by !== 0) moves.add(likesBoard, String(event.swipee), by);
  }
}
