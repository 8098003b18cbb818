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
interface StoredRow extends Id {
  readonly content: StoredContent;
}

interface Letter extends Id {
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
  const read = async <Row extends object>(select: string, contentOf: (row: Row) => StoredContent & Id) =>
    (await writer.query<Row>(select)).map(contentOf).map(({ id, ...content }) => ({ id: uuidOf(id), content }));
  const images = Map.groupBy(await writer.query<Id & { readonly bytes: Buffer }>(selectImages), ({ id }) => id);
  const rows = [
    await read<Of<"purchase", { readonly items: string }>>(selectPurchases, (sale) => ({
      ...sale,
      kind: "purchase",
      items: JSON.parse(sale.items),
    })),
    await read<Of<"swipe", { readonly liked: number }>>(selectSwipes, (swipe) => ({
      ...swipe,
      kind: "swipe",
      liked: swipe.liked === 1,
    })),
    await read<Of<"ride", { readonly vertical: number }>>(selectRides, ({ vertical, ...ride }) => {
      if (vertical !== ride.lift * 10) throw new Error(`the ride ${ride.id} has a vertical of ${vertical}`);
      return { ...ride, kind: "ride" };
    }),
    await read<Of<"steps">>(selectSteps, (steps) => ({ ...steps, kind: "steps" })),
    await read<Of<"album", { readonly size: number }>>(selectAlbums, ({ size, ...album }) => {
      const image = Buffer.concat((images.get(album.id) ?? []).map(({ bytes }) => bytes));
      if (image.length !== size) throw new Error(`the album ${album.id} has ${image.length} of ${size} bytes`);
      return { ...album, kind: "album", image: fingerprint(image) };
    }),
    await read<Of<"review", { readonly liked: number }>>(selectReviews, ({ album, liked, ...review }) => ({
      ...review,
      kind: "review",
      album: uuidOf(album),
      liked: liked === 1,
    })),
  ];
  const letters = await writer.query<Letter>(selectLetters);
  return { rows: rows.flat(), letters: letters.map((letter) => ({ ...letter, id: uuidOf(letter.id) })) };
}

interface Id {
  readonly id: string;
}

/** The columns of a kind. `Other`: those that differ from its content. */
type Of<K extends StoredContent["kind"], Other = unknown> = Id &
  Other &
  Omit<ContentOf<K>, "kind" | "image" | keyof Other>;

const uuidOf = (hex: string): string =>
  hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** How the bytes of an image are compared. */
export function fingerprint(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
