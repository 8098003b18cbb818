import type { SqlReader } from "@tally/pipeline";

// Both along the primary key, in the order of ids, until there are enough.
const selectLiked = "SELECT swipee FROM swipe_pairs WHERE swiper = ? AND liked = 1 ORDER BY swipee LIMIT ?";
const selectMutual = `
  SELECT own.swipee FROM swipe_pairs own JOIN swipe_pairs theirs ON theirs.swiper = own.swipee AND theirs.swipee = own.swiper
  WHERE own.swiper = ? AND own.liked = 1 AND theirs.liked = 1 ORDER BY own.swipee LIMIT ?`;
const countGiven = "SELECT liked, COUNT(*) AS swipes FROM swipe_pairs WHERE swiper = ? GROUP BY liked";

/** Whom a user likes, the smallest ids first; `mutual`: who likes him too. */
export async function matchesOf(
  rows: SqlReader,
  userId: number,
  mutual: boolean,
  limit: number,
): Promise<readonly number[]> {
  const found = await rows.query<{ swipee: number }>(mutual ? selectMutual : selectLiked, [userId, limit]);
  return found.map(({ swipee }) => swipee);
}

/** How many users a user likes now, and dislikes: a walk over all of them in the index. */
export async function swipesGivenBy(
  rows: SqlReader,
  userId: number,
): Promise<{ readonly likes: number; readonly dislikes: number }> {
  const counts = await rows.query<{ liked: number; swipes: number }>(countGiven, [userId]);
  const of = (liked: number): number => counts.find((count) => count.liked === liked)?.swipes ?? 0;
  return { likes: of(1), dislikes: of(0) };
}
