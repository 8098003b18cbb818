import type { Recount } from "@tally/pipeline";
import { likesBoard } from "./rank.ts";

const selectIds = "SELECT id FROM swipes";
const selectRowsOfBatches = "SELECT producer, sequence, COUNT(*) FROM swipes GROUP BY producer, sequence";
const selectLikes = "SELECT 'all', swipee, COUNT(*) FROM swipe_pairs WHERE liked = 1 GROUP BY swipee";

const selectOvertaken = `
  SELECT CONCAT('swipe ', LOWER(HEX(id)), ' is newer than the pair ', swiper, ', ', swipee, ' says')
  FROM swipes LEFT JOIN swipe_pairs pair USING (swiper, swipee)
  WHERE swipe_id IS NULL OR swipes.taken_at > pair.taken_at OR (swipes.taken_at = pair.taken_at AND id > swipe_id)`;
const selectForeign = `
  SELECT CONCAT('the pair ', pair.swiper, ', ', pair.swipee, ' says what its swipe does not')
  FROM swipe_pairs pair LEFT JOIN swipes ON id = swipe_id
  WHERE id IS NULL OR swipes.swiper <> pair.swiper OR swipes.swipee <> pair.swipee
    OR swipes.liked <> pair.liked OR swipes.taken_at <> pair.taken_at`;

/** What all pairs add up to: the same that rank() says of each change. And that each pair is what the newest of its swipes says. */
export const recount: Recount = {
  ids: selectIds,
  rowsOfBatches: selectRowsOfBatches,
  boards: [{ cells: selectLikes, board: () => likesBoard }],
  contradictions: [selectOvertaken, selectForeign],
};
