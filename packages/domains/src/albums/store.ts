import { bytesOfEventId, eventIdOfBytes } from "@tally/contract";
import type { BatchEvent, BatchId, Event, SqlReader, SqlTransaction } from "@tally/contract";
import { Type } from "typebox";
import { eventTable, idColumn } from "../event-table.ts";
import { AlbumEvent, ReviewEvent, type AlbumsEvent } from "./event.ts";

const none = Buffer.alloc(0);

// The row has the size of the image; its bytes are rows of their own.
const albums = eventTable(Type.Omit(AlbumEvent, ["kind"]), "albums", {
  artist: "artist",
  title: "title",
  year: "year",
  imageType: "image_type",
  image: { name: "image_size", toColumn: (image) => image.length, ofColumn: () => none },
});
const selectImages = "SELECT album_id, bytes FROM album_images WHERE album_id IN (?) ORDER BY album_id, part";
const insertImages = "INSERT INTO album_images (album_id, part, bytes) VALUES ?";

const reviews = eventTable(Type.Omit(ReviewEvent, ["kind"]), "album_reviews", {
  albumId: idColumn("album_id"),
  liked: "liked",
});

// Bytes are sent as hex text, so a part takes half of the size that a statement aims at.
const partBytesMax = 250_000;

/** Neither albums nor reviews have a natural key: a row is new if its event id is. */
export const store = {
  async write(transaction: SqlTransaction, events: readonly BatchEvent<AlbumsEvent>[]) {
    const addedAlbums = await albums.write(transaction, events.filter(isAlbum));
    if (addedAlbums.length > 0) await transaction.insert(insertImages, addedAlbums.flatMap(imageRows));
    return [...addedAlbums, ...(await reviews.write(transaction, events.filter(isReview)))];
  },

  async locate(reader: SqlReader, eventId: string): Promise<BatchId | undefined> {
    return (await albums.locate(reader, eventId)) ?? (await reviews.locate(reader, eventId));
  },

  // Rows before images: both are committed together, so the image of an album that was read exists. The other order
  // could miss it.
  async read(reader: SqlReader, eventIds: readonly string[]): Promise<readonly AlbumsEvent[]> {
    const found = await albums.read(reader, eventIds);
    const images = await readImages(reader, found);
    return [
      ...found.map((album): AlbumEvent => {
        const image = Buffer.concat(images.get(album.id) ?? []);
        return Object.assign(album, { kind: "album", image } as const);
      }),
      ...(await reviews.read(reader, eventIds)).map((review): ReviewEvent =>
        Object.assign(review, { kind: "review" } as const),
      ),
    ];
  },

  // Images have up to 15 MiB.
  readMax: 4,
};

async function readImages(reader: SqlReader, albumsRead: readonly Event[]) {
  const ids = albumsRead.map(({ id }) => bytesOfEventId(id));
  if (ids.length === 0) return new Map<string, Buffer[]>();
  const parts = await reader.query<{ album_id: Buffer; bytes: Buffer }>(selectImages, [ids]);
  const byAlbum = Map.groupBy(parts, ({ album_id: id }) => eventIdOfBytes(id));
  return new Map(Array.from(byAlbum, ([id, images]) => [id, images.map(({ bytes }) => bytes)]));
}

const isAlbum = (one: BatchEvent<AlbumsEvent>): one is BatchEvent<AlbumEvent> => one.event.kind === "album";

const isReview = (one: BatchEvent<AlbumsEvent>): one is BatchEvent<ReviewEvent> => one.event.kind === "review";

function imageRows({ event: { id, image } }: BatchEvent<AlbumEvent>) {
  const albumId = bytesOfEventId(id);
  return Array.from({ length: Math.ceil(image.length / partBytesMax) }, (_, part) => [
    albumId,
    part,
    image.subarray(part * partBytesMax, (part + 1) * partBytesMax),
  ]);
}
