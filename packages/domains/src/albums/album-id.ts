import { eventTimeOf, isEventId, NotFound } from "@tally/contract";
import { Type } from "typebox";

/** The path parameter of an album; parseAlbumId checks it. */
export const AlbumParams = Type.Object({ albumID: Type.String() });

/** An album's event, and when it was accepted, by the time in its id, in ms since 1970; 0: unknown, treated as old. */
interface AlbumRef {
  readonly eventId: string;
  readonly acceptedAtMs: number;
}

/**
 * The id that a client gets. A UUIDv7 event id contains its time. An id made of an Idempotency-Key does not, so the time is appended after a
 * dot. With any time the id names the same album.
 */
export function albumIdOf(eventId: string, nowMs: number): string {
  return eventTimeOf(eventId) === undefined ? `${eventId}.${nowMs.toString(36)}` : eventId;
}

/** The inverse of albumIdOf. Throws NotFound for any other text. */
export function parseAlbumId(text: string): AlbumRef {
  const [eventId = "", suffix, ...more] = text.toLowerCase().split(".");
  if (!isEventId(eventId) || more.length > 0 || (suffix !== undefined && !/^[0-9a-z]{1,9}$/.test(suffix))) {
    throw noSuchAlbum(text);
  }
  return { eventId, acceptedAtMs: eventTimeOf(eventId) ?? Number.parseInt(suffix ?? "0", 36) };
}

/** For an id without an album. */
export function noSuchAlbum(text: string): NotFound {
  return new NotFound("albumID", "the id of an album", text.slice(0, 60));
}
