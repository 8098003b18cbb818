import type { Recount } from "@tally/pipeline";

const selectIds = "SELECT id FROM albums UNION ALL SELECT id FROM album_reviews";
const selectRowsOfBatches = `
  SELECT producer, sequence, COUNT(*)
  FROM (SELECT producer, sequence FROM albums UNION ALL SELECT producer, sequence FROM album_reviews) AS events
  GROUP BY producer, sequence`;
const selectReviews = `
  SELECT IF(liked, 'likes', 'dislikes') AS board, LOWER(HEX(album_id)), COUNT(*)
  FROM album_reviews GROUP BY liked, album_id ORDER BY liked`;

// Row by row along both primary keys; it reads every picture.
const selectIncompletePictures = `
  SELECT CONCAT('album ', LOWER(HEX(id)), ' has ', image_size, ' bytes of a picture, and ', kept, ' are kept')
  FROM (
    SELECT id, image_size,
      (SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM album_images WHERE album_id = albums.id) AS kept
    FROM albums
  ) AS pictures
  WHERE kept <> image_size`;
const selectForeignPictures = `
  SELECT DISTINCT CONCAT('a picture is of album ', LOWER(HEX(album_id)), ', which there is not')
  FROM album_images LEFT JOIN albums ON id = album_id WHERE id IS NULL`;

/** What all reviews add up to: the same that rank() says of each. And that every album has its picture. */
export const recount: Recount = {
  ids: selectIds,
  rowsOfBatches: selectRowsOfBatches,
  boards: [{ cells: selectReviews, board: (key) => key }],
  contradictions: [selectIncompletePictures, selectForeignPictures],
};
