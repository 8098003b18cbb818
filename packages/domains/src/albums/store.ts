import { bytesOfEventId, type BatchId, type Recorded, type SqlReader, type SqlTransaction } from "@tally/pipeline";
import { addEvents, locateEvent, type Added, type EventTable } from "../event-rows.ts";
import type { AlbumEvent, AlbumsEvent, ReviewEvent } from "./event.ts";

const albums: EventTable<AlbumEvent> = {
  insert: "INSERT INTO albums (id, artist, title, year, image_type, image_size, producer, sequence) VALUES ?",
  row: ({ artist, title, year, imageType, image }, id, producer, sequence) => [
    id,
    artist,
    title,
    year,
    imageType,
    image.length,
    producer,
    sequence,
  ],
  selectStored: "SELECT id FROM albums WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM albums WHERE id = ?",
};
const insertImages = "INSERT INTO album_images (album_id, part, bytes) VALUES ?";

const reviews: EventTable<ReviewEvent> = {
  insert: "INSERT INTO album_reviews (id, album_id, liked, producer, sequence) VALUES ?",
  row: ({ albumId, liked }, id, producer, sequence) => [id, bytesOfEventId(albumId), liked ? 1 : 0, producer, sequence],
  selectStored: "SELECT id FROM album_reviews WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM album_reviews WHERE id = ?",
};

// As text in a statement it is twice as long: half of what a statement aims at.
const partBytesMax = 250_000;

/** Neither albums nor reviews have a natural key: a row is new when its event id is. */
export const store = { write, locate };

async function write(
  transaction: SqlTransaction,
  recorded: readonly Recorded<AlbumsEvent>[],
): Promise<readonly Recorded<AlbumsEvent>[]> {
  const addedAlbums = await addEvents(transaction, albums, recorded.filter(isAlbum));
  if (addedAlbums.length > 0) await transaction.insert(insertImages, addedAlbums.flatMap(imageRows));
  const addedReviews = await addEvents(transaction, reviews, recorded.filter(isReview));
  return [...addedAlbums, ...addedReviews].map((added) => added.recorded);
}

async function locate(reader: SqlReader, eventId: string): Promise<BatchId | undefined> {
  return (await locateEvent(reader, albums, eventId)) ?? (await locateEvent(reader, reviews, eventId));
}

function isAlbum(recorded: Recorded<AlbumsEvent>): recorded is Recorded<AlbumEvent> {
  return recorded.event.kind === "album";
}

function isReview(recorded: Recorded<AlbumsEvent>): recorded is Recorded<ReviewEvent> {
  return recorded.event.kind === "review";
}

function imageRows({ recorded: { event }, id }: Added<AlbumEvent>) {
  const { image } = event;
  return Array.from({ length: Math.ceil(image.length / partBytesMax) }, (_, part) => [
    id,
    part,
    image.subarray(part * partBytesMax, (part + 1) * partBytesMax),
  ]);
}
