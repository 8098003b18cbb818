import type { Recount } from "@tally/pipeline";

const selectIds = "SELECT id FROM albums UNION ALL SELECT id FROM album_reviews";
const selectRowsOfBatches = `
  SELECT producer, sequence, COUNT(*)
  FROM (SELECT producer, sequence FROM albums UNION ALL SELECT producer, sequence FROM album_reviews) AS events
  GROUP BY producer, sequence`;
const selectReviews = `
  SELECT IF(liked, 'likes', 'dislikes') AS board, LOWER(HEX(album_id)), COUNT(*)
  FROM album_reviews GROUP BY liked, album_id ORDER BY liked`;

/** What all reviews add up to: the same that rank() says of each. */
export const recount: Recount = {
  ids: selectIds,
  rowsOfBatches: selectRowsOfBatches,
  boards: [{ cells: selectReviews, board: (key) => key }],
};
