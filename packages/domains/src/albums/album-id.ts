import { eventTimeOf, isEventId, NotFound } from "@tally/pipeline";

/** An album's event, and when it was accepted as far as its id tells; ms since 1970, 0: long ago. */
export interface AlbumRef {
  readonly eventId: string;
  readonly acceptedAtMs: number;
}

/**
 * The id that a client is given. Its event's, which tells its own time; that of an Idempotency-Key does not, so the time follows behind a
 * point. Both lead to the same album for ever.
 */
export function albumIdOf(eventId: string, nowMs: number): string {
  return eventTimeOf(eventId) === undefined ? `${eventId}.${nowMs.toString(36)}` : eventId;
}

/** The inverse. Throws NotFound for what we have never given out. */
export function parseAlbumId(text: string): AlbumRef {
  const [eventId = "", suffix, ...more] = text.toLowerCase().split(".");
  if (!isEventId(eventId) || more.length > 0 || (suffix !== undefined && !/^[0-9a-z]{1,9}$/.test(suffix))) {
    throw noSuchAlbum(text);
  }
  return { eventId, acceptedAtMs: eventTimeOf(eventId) ?? Number.parseInt(suffix ?? "0", 36) };
}

/** There is no album of this id. */
export function noSuchAlbum(text: string): NotFound {
  return new NotFound("albumID", "the id of an album", text.slice(0, 60));
}
