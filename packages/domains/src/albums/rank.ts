import type { Change, Moves } from "@tally/contract";
import type { AlbumsEvent } from "./event.ts";

/** An album as the member of a board: its event id without dashes. */
export function memberOf(eventId: string): string {
  return eventId.replaceAll("-", "");
}

/** Each new review counts 1 on the board "likes" or "dislikes". An album counts nowhere. */
export function rank(changes: readonly Change<AlbumsEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    if (event.kind === "review") moves.add(event.liked ? "likes" : "dislikes", memberOf(event.albumId), 1);
  }
}
