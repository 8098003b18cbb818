import type { Recount } from "@tally/contract";

const selectRowsOfBatches = `
  SELECT producer, sequence, COUNT(*)
  FROM (SELECT producer, sequence FROM albums UNION ALL SELECT producer, sequence FROM album_reviews) AS events
  GROUP BY producer, sequence`;
const selectReviews = `
  SELECT IF(liked, 'likes', 'dislikes') AS board, LOWER(HEX(album_id)), COUNT(*)
  FROM album_reviews GROUP BY liked, album_id ORDER BY liked`;

// Reads every image, along both primary keys.
const selectIncompleteImages = `
  SELECT CONCAT('album ', LOWER(HEX(id)), ' has an image of ', image_size, ' bytes, but ', kept, ' are stored')
  FROM (
    SELECT id, image_size,
      (SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM album_images WHERE album_id = albums.id) AS kept
    FROM albums
  ) AS images
  WHERE kept <> image_size`;
const selectForeignImages = `
  SELECT DISTINCT CONCAT('an image belongs to album ', LOWER(HEX(album_id)), ', which does not exist')
  FROM album_images LEFT JOIN albums ON id = album_id WHERE id IS NULL`;

/** The sums of what rank() adds for each review, and a check that every album has its image. */
export const recount: Recount = {
  ids: "SELECT id FROM albums UNION ALL SELECT id FROM album_reviews",
  rowsOfBatches: selectRowsOfBatches,
  boards: [{ cells: selectReviews, board: (key) => key }],
  contradictions: [selectIncompleteImages, selectForeignImages],
};
