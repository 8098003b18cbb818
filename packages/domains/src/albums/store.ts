import {
  bytesOfEventId,
  eventIdOfBytes,
  type BatchEvent,
  type BatchId,
  type SqlReader,
  type SqlTransaction,
} from "@tally/contract";
import { addEvents, locateEvent, readEvents, type EventTable } from "../event-rows.ts";
import type { AlbumEvent, AlbumsEvent, ReviewEvent } from "./event.ts";

const albums: EventTable<AlbumEvent> = {
  insert: "INSERT INTO albums (id, artist, title, year, image_type, image_size, producer, sequence) VALUES ?",
  row: ({ artist, title, year, imageType, image }) => [artist, title, year, imageType, image.length],
  select: "SELECT id, artist, title, year, image_type AS imageType FROM albums WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM albums WHERE id = ?",
};
const selectImages = "SELECT album_id, bytes FROM album_images WHERE album_id IN (?) ORDER BY album_id, part";
const insertImages = "INSERT INTO album_images (album_id, part, bytes) VALUES ?";

const reviews: EventTable<ReviewEvent> = {
  insert: "INSERT INTO album_reviews (id, album_id, liked, producer, sequence) VALUES ?",
  row: ({ albumId, liked }) => [bytesOfEventId(albumId), liked ? 1 : 0],
  select: "SELECT id, album_id AS albumId, liked FROM album_reviews WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM album_reviews WHERE id = ?",
};

// Bytes are sent as hex text, so a part takes half of the size that a statement aims at.
const partBytesMax = 250_000;

/** Neither albums nor reviews have a natural key: a row is new if its event id is. */
export const store = {
  async write(transaction: SqlTransaction, events: readonly BatchEvent<AlbumsEvent>[]) {
    const addedAlbums = await addEvents(transaction, albums, events.filter(isAlbum));
    if (addedAlbums.length > 0) await transaction.insert(insertImages, addedAlbums.flatMap(imageRows));
    return [...addedAlbums, ...(await addEvents(transaction, reviews, events.filter(isReview)))];
  },

  async locate(reader: SqlReader, eventId: string): Promise<BatchId | undefined> {
    return (await locateEvent(reader, albums, eventId)) ?? (await locateEvent(reader, reviews, eventId));
  },

  // Rows before images: both are committed together, so the image of an album that was read exists. The other order could miss it.
  async read(reader: SqlReader, eventIds: readonly string[]): Promise<readonly AlbumsEvent[]> {
    const found = await readEvents(reader, albums, albumOf, eventIds);
    const images = await readImages(reader, found);
    const complete = found.map((album) => Object.assign(album, { image: Buffer.concat(images.get(album.id) ?? []) }));
    return [...complete, ...(await readEvents(reader, reviews, reviewOf, eventIds))];
  },

  // Images have up to 10 MiB.
  readMax: 4,
};

async function readImages(reader: SqlReader, albumsRead: readonly AlbumEvent[]) {
  const ids = albumsRead.map(({ id }) => bytesOfEventId(id));
  if (ids.length === 0) return new Map<string, Buffer[]>();
  const parts = await reader.query<{ album_id: Buffer; bytes: Buffer }>(selectImages, [ids]);
  const byAlbum = Map.groupBy(parts, ({ album_id: id }) => eventIdOfBytes(id));
  return new Map(Array.from(byAlbum, ([id, images]) => [id, images.map(({ bytes }) => bytes)]));
}

/** Without the image. */
function albumOf(id: string, row: Omit<AlbumEvent, "kind" | "id" | "image">): AlbumEvent {
  return { ...row, kind: "album", id, image: none };
}

const none = Buffer.alloc(0);

function reviewOf(id: string, { albumId, liked }: { readonly albumId: Buffer; readonly liked: number }): ReviewEvent {
  return { kind: "review", id, albumId: eventIdOfBytes(albumId), liked: liked === 1 };
}

function isAlbum(one: BatchEvent<AlbumsEvent>): one is BatchEvent<AlbumEvent> {
  return one.event.kind === "album";
}

function isReview(one: BatchEvent<AlbumsEvent>): one is BatchEvent<ReviewEvent> {
  return one.event.kind === "review";
}

function imageRows({ event: { id, image } }: BatchEvent<AlbumEvent>) {
  const albumId = bytesOfEventId(id);
  return Array.from({ length: Math.ceil(image.length / partBytesMax) }, (_, part) => [
    albumId,
    part,
    image.subarray(part * partBytesMax, (part + 1) * partBytesMax),
  ]);
}
