import { createHash } from "node:crypto";
import type { Database } from "@tally/database";
import type { ContentOf, StoredContent } from "./stored-content.ts";

const selectPurchases = `
  SELECT HEX(id) AS id, store_id AS store, customer_id AS customer, DATE_FORMAT(purchased_on, '%Y%m%d') AS date,
    CAST(items AS CHAR) AS items
  FROM purchases`;
const selectSwipes = "SELECT HEX(id) AS id, swiper, swipee, liked, comment FROM swipes";
const selectRides = `
  SELECT HEX(id) AS id, resort, season, day, skier_id AS skier, minute, lift_id AS lift, vertical FROM lift_rides`;
const selectSteps = "SELECT HEX(id) AS id, user_id AS user, day, hour, steps FROM steps";
const selectAlbums = "SELECT HEX(id) AS id, artist, title, year, image_size AS size FROM albums";
const selectImages = "SELECT HEX(album_id) AS id, bytes FROM album_images ORDER BY album_id, part";
const selectReviews = "SELECT HEX(id) AS id, HEX(album_id) AS album, liked FROM album_reviews";
const selectLetters = "SELECT HEX(id) AS id, domain, stage, reason FROM dead_letters";

/** A row of any domain; `id` as a UUID. */
interface StoredRow {
  readonly id: string;
  readonly content: StoredContent;
}

interface Letter {
  readonly id: string;
  readonly domain: string;
  readonly stage: string;
  readonly reason: string;
}

/** All that is stored, read by SQL alone. */
export interface Stored {
  readonly rows: readonly StoredRow[];
  readonly letters: readonly Letter[];
}

/** Reads every row of every domain and every dead letter at the write endpoint. */
export async function readStored({ writer }: Database): Promise<Stored> {
  const purchases = await writer.query<Of<"purchase"> & { readonly id: string; readonly items: string }>(
    selectPurchases,
  );
  const swipes = await writer.query<Of<"swipe"> & { readonly id: string; readonly liked: number }>(selectSwipes);
  const rides = await writer.query<Of<"ride"> & { readonly id: string; readonly vertical: number }>(selectRides);
  const steps = await writer.query<Of<"steps"> & { readonly id: string }>(selectSteps);
  const albums = await writer.query<Of<"album"> & { readonly id: string; readonly size: number }>(selectAlbums);
  const images = Map.groupBy(
    await writer.query<{ readonly id: string; readonly bytes: Buffer }>(selectImages),
    ({ id }) => id,
  );
  const reviews = await writer.query<{ readonly id: string; readonly album: string; readonly liked: number }>(
    selectReviews,
  );
  const letters = await writer.query<Letter>(selectLetters);
  const all = [
    ...purchases.map(({ id, store, customer, date, items }) =>
      row(id, { kind: "purchase", store, customer, date, items: JSON.parse(items) }),
    ),
    ...swipes.map(({ id, swiper, swipee, liked, comment }) =>
      row(id, { kind: "swipe", swiper, swipee, liked: liked === 1, comment }),
    ),
    ...rides.map(({ id, vertical, ...ride }) => {
      if (vertical !== ride.lift * 10) throw new Error(`the ride ${id} has a vertical of ${vertical}`);
      return row(id, { kind: "ride", ...ride });
    }),
    ...steps.map(({ id, ...more }) => row(id, { kind: "steps", ...more })),
    ...albums.map(({ id, size, ...profile }) => {
      const image = Buffer.concat((images.get(id) ?? []).map(({ bytes }) => bytes));
      if (image.length !== size) throw new Error(`the album ${id} has ${image.length} of ${size} bytes`);
      return row(id, { kind: "album", ...profile, image: fingerprint(image) });
    }),
    ...reviews.map(({ id, album, liked }) => row(id, { kind: "review", album: uuidOf(album), liked: liked === 1 })),
  ];
  return {
    rows: all,
    letters: letters.map(({ id, domain, stage, reason }) => ({ id: uuidOf(id), domain, stage, reason })),
  };
}

type Of<K extends StoredContent["kind"]> = Omit<ContentOf<K>, "kind" | "items" | "liked">;

const row = (id: string, content: StoredContent): StoredRow => ({ id: uuidOf(id), content });

const uuidOf = (hex: string): string =>
  hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** How the bytes of an image are compared. */
export function fingerprint(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
