import { lookup, type Content, type Lookup, type Sources } from "@tally/contract";
import { noSuchAlbum, parseAlbumId } from "./album-id.ts";
import type { AlbumsEvent } from "./event.ts";
import type { Profile } from "./profile.ts";

const selectProfiles = "SELECT id, artist, title, year FROM albums WHERE id IN (?)";
const selectImages = `
  SELECT album_images.album_id AS id, image_type, bytes
  FROM album_images JOIN albums ON albums.id = album_images.album_id
  WHERE album_images.album_id IN (?)
  ORDER BY album_images.album_id, part`;

/** An album without its image. */
export const profiles = lookup({
  select: selectProfiles,
  idsMax: 500,
  ofRows: ([row]: readonly Partial<Profile>[]): Profile => ({
    artist: row?.artist ?? "",
    title: row?.title ?? "",
    year: row?.year ?? "",
  }),
  ofEvent(event: AlbumsEvent): Profile | undefined {
    if (event.kind !== "album") return undefined;
    const { artist, title, year } = event;
    return { artist, title, year };
  },
});

/** The image of an album. */
export const images = lookup({
  select: selectImages,
  // Each up to 10 MiB.
  idsMax: 4,
  ofRows: (parts: readonly { readonly image_type: string; readonly bytes: Buffer }[]): Content => ({
    type: parts[0]?.image_type ?? "",
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
  }),
  ofEvent: (event: AlbumsEvent): Content | undefined =>
    event.kind === "album" ? { type: event.imageType, bytes: event.image } : undefined,
});

/** Looks up an album by the id that a client sent. Throws NotFound, and what Sources.find throws. */
export async function ofAlbum<T>(what: Lookup<T>, albumID: string, { find }: Sources): Promise<T> {
  const { eventId, acceptedAtMs } = parseAlbumId(albumID);
  const found = await find(what, eventId, acceptedAtMs);
  if (found === undefined) throw noSuchAlbum(albumID);
  return found;
}
