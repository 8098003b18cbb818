import type { Moves, Recount } from "@tally/contract";
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

const selectLikes = "SELECT 'all', swipee, COUNT(*) FROM swipe_pairs WHERE liked = 1 GROUP BY swipee";

const selectOvertaken = `
  SELECT CONCAT('swipe ', LOWER(HEX(id)), ' is newer than the pair ', swiper, ', ', swipee)
  FROM swipes LEFT JOIN swipe_pairs pair USING (swiper, swipee)
  WHERE swipe_id IS NULL OR swipes.taken_at > pair.taken_at OR (swipes.taken_at = pair.taken_at AND id > swipe_id)`;
const selectForeign = `
  SELECT CONCAT('the pair ', pair.swiper, ', ', pair.swipee, ' differs from its swipe')
  FROM swipe_pairs pair LEFT JOIN swipes ON id = swipe_id
  WHERE id IS NULL OR swipes.swiper <> pair.swiper OR swipes.swipee <> pair.swipee
    OR swipes.liked <> pair.liked OR swipes.taken_at <> pair.taken_at`;

/** The sums of what rank() adds for each change, and a check that each pair equals the newest of its swipes. */
export const recount: Recount = {
  ids: "SELECT id FROM swipes",
  rowsOfBatches: "SELECT producer, sequence, COUNT(*) FROM swipes GROUP BY producer, sequence",
  boards: [{ cells: selectLikes, board: () => likesBoard }],
  contradictions: [selectOvertaken, selectForeign],
};
