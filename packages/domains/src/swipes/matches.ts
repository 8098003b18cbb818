import { keyedRead, type SqlReader } from "@tally/contract";

// Both read the primary key in its order, up to the limit.
const selectLiked = "SELECT swipee FROM swipe_pairs WHERE swiper = ? AND liked = 1 ORDER BY swipee LIMIT ?";
const selectMutual = `
  SELECT own.swipee FROM swipe_pairs own JOIN swipe_pairs theirs ON theirs.swiper = own.swipee AND theirs.swipee = own.swiper
  WHERE own.swiper = ? AND own.liked = 1 AND theirs.liked = 1 ORDER BY own.swipee LIMIT ?`;
const countGiven = `
  SELECT swiper, COUNT(*) AS swipes, CAST(SUM(liked) AS UNSIGNED) AS likes FROM swipe_pairs
  WHERE swiper IN (?) GROUP BY swiper`;

/** The users that a user likes, smallest ids first; `mutual`: only those who like the user too. */
export async function matchesOf(rows: SqlReader, userId: number, mutual: boolean, limit: number) {
  const found = await rows.query<{ swipee: number }>(mutual ? selectMutual : selectLiked, [userId, limit]);
  return found.map(({ swipee }) => swipee);
}

/** By user: how many users a user likes and dislikes now. Reads one index entry for each of them. */
export const swipesGiven = keyedRead({
  select: countGiven,
  key: ["swiper"],
  keysMax: 100,
  ofRows: ([row]: readonly { readonly swiper: number; readonly swipes: number; readonly likes: number }[]) => ({
    likes: row?.likes ?? 0,
    dislikes: (row?.swipes ?? 0) - (row?.likes ?? 0),
  }),
});
