import type { Change, Moves } from "@tally/pipeline";
import type { AlbumsEvent } from "./event.ts";

/** How an album is named on a board: its event's id without dashes. */
export function memberOf(eventId: string): string {
  return eventId.replaceAll("-", "");
}

/** Every new review counts on one of the two boards, "likes" and "dislikes". An album moves nothing. */
export function rank(changes: readonly Change<AlbumsEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    if (event.kind === "review") moves.add(event.liked ? "likes" : "dislikes", memberOf(event.albumId), 1);
  }
}
