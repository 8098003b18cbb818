import { eventTimeOf, isEventId, lookup, NotFound, type Content, type Lookup, type Sources } from "@tally/contract";
import { Type } from "typebox";
import type { AlbumsEvent } from "./event.ts";
import type { Profile } from "./profile.ts";

export const AlbumParams = Type.Object({ albumID: Type.String() });

/** A UUIDv7 event id contains its time. An id made of an Idempotency-Key does not, so the time is appended after a dot.
 * With any time the id names the same album. */
export function albumIdOf(eventId: string, nowMs: number): string {
  return eventTimeOf(eventId) === undefined ? `${eventId}.${nowMs.toString(36)}` : eventId;
}

/** The inverse of albumIdOf, with the time in ms since 1970; 0: unknown, treated as old. Throws NotFound. */
export function parseAlbumId(text: string) {
  const [eventId = "", suffix, ...more] = text.toLowerCase().split(".");
  if (!isEventId(eventId) || more.length > 0 || (suffix !== undefined && !/^[0-9a-z]{1,9}$/.test(suffix)))
    throw noSuchAlbum(text);
  return { eventId, acceptedAtMs: eventTimeOf(eventId) ?? Number.parseInt(suffix ?? "0", 36) };
}

const noSuchAlbum = (text: string): NotFound => new NotFound("albumID", "the id of an album", text.slice(0, 60));

const selectProfiles = "SELECT id, artist, title, year FROM albums WHERE id IN (?)";
const selectImages = `
  SELECT album_images.album_id AS id, image_type, bytes
  FROM album_images JOIN albums ON albums.id = album_images.album_id
  WHERE album_images.album_id IN (?)
  ORDER BY album_images.album_id, part`;

export const profiles = lookup({
  select: selectProfiles,
  keysMax: 500,
  ofRows: ([row]: readonly Profile[]) => row && profileOf(row),
  ofEvent: (event: AlbumsEvent) => (event.kind === "album" ? profileOf(event) : undefined),
});

function profileOf({ artist, title, year }: Profile): Profile {
  return { artist, title, year };
}

export const images = lookup({
  select: selectImages,
  // Each up to 15 MiB.
  keysMax: 4,
  ofRows(parts: readonly { readonly image_type: string; readonly bytes: Buffer }[]): Content | undefined {
    const [first] = parts;
    return first && { type: first.image_type, bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) };
  },
  ofEvent: (event: AlbumsEvent): Content | undefined =>
    event.kind === "album" ? { type: event.imageType, bytes: event.image } : undefined,
});

/** By the id that a client sent. Throws NotFound, and what Sources.find throws. */
export async function ofAlbum<T>(what: Lookup<T>, albumID: string, { find }: Sources): Promise<T> {
  const { eventId, acceptedAtMs } = parseAlbumId(albumID);
  const found = await find(what, eventId, acceptedAtMs);
  if (found === undefined) throw noSuchAlbum(albumID);
  return found;
}
