import { eventIdOfKey, newEventId, NotFound } from "@tally/contract";
import { expect, test } from "vitest";
import { albumIdOf, parseAlbumId } from "./album-lookup.ts";

test("an album's id contains its event id and about when it was accepted, with and without an Idempotency-Key", () => {
  const before = Date.now();
  for (const eventId of [newEventId(), eventIdOfKey("albums", "key")]) {
    const { eventId: found, acceptedAtMs } = parseAlbumId(albumIdOf(eventId, Date.now()).toUpperCase());
    expect(found).toBe(eventId);
    expect(acceptedAtMs).toBeGreaterThanOrEqual(before);
    expect(acceptedAtMs).toBeLessThanOrEqual(Date.now() + 5);
  }
});

test("an id of a key without a time counts as old", () => {
  expect(parseAlbumId(eventIdOfKey("albums", "key")).acceptedAtMs).toBe(0);
});

test.each(["", "1", "abc", "01a1fb30-2980-41ee-89cd-4f71757df440", `${newEventId()}.`, `${newEventId()}.a.b`])(
  "rejects %j",
  (text) => {
    expect(() => parseAlbumId(text)).toThrow(NotFound);
  },
);
