import { lookup, type Content, type Lookup, type Sources } from "@tally/pipeline";
import { noSuchAlbum, parseAlbumId } from "./album-id.ts";
import type { AlbumsEvent } from "./event.ts";
import type { Profile } from "./profile.ts";

const selectProfiles = "SELECT id, artist, title, year FROM albums WHERE id IN (?)";
const selectImages = `
  SELECT album_images.album_id AS id, image_type, bytes
  FROM album_images JOIN albums ON albums.id = album_images.album_id
  WHERE album_images.album_id IN (?)
  ORDER BY album_images.album_id, part`;

/** What is said of an album, without its picture. */
export const profiles = lookup({
  select: selectProfiles,
  idsMax: 500,
  ofRows: ([row]: readonly Partial<Profile>[]): Profile => ({
    artist: row?.artist ?? "",
    title: row?.title ?? "",
    year: row?.year ?? "",
  }),
  ofEvent: (event: AlbumsEvent): Profile | undefined => (event.kind === "album" ? profileOf(event) : undefined),
});

/** An album's picture. */
export const images = lookup({
  select: selectImages,
  // Of 10 MiB each.
  idsMax: 4,
  ofRows: (parts: readonly { readonly image_type: string; readonly bytes: Buffer }[]): Content => ({
    type: parts[0]?.image_type ?? "",
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
  }),
  ofEvent: (event: AlbumsEvent): Content | undefined =>
    event.kind === "album" ? { type: event.imageType, bytes: event.image } : undefined,
});

/** What is known of an album under an id that a client names. Throws NotFound, and what Sources.find throws. */
export async function ofAlbum<T>(what: Lookup<T>, albumID: string, { find }: Sources): Promise<T> {
  const { eventId, acceptedAtMs } = parseAlbumId(albumID);
  const found = await find(what, eventId, acceptedAtMs);
  if (found === undefined) throw noSuchAlbum(albumID);
  return found;
}

function profileOf({ artist, title, year }: Profile): Profile {
  return { artist, title, year };
}
