import type { Change, Moves, Recount } from "@tally/contract";
import type { AlbumsEvent } from "./event.ts";

/** An album as the member of a board: its event id without dashes. */
export const memberOf = (eventId: string): string => eventId.replaceAll("-", "");

/** Each new review counts 1 on the board "likes" or "dislikes". An album counts nowhere. */
export function rank(changes: readonly Change<AlbumsEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    if (event.kind === "review") moves.add(event.liked ? "likes" : "dislikes", memberOf(event.albumId), 1);
  }
}

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
