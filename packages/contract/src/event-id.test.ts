import { expect, onTestFinished, test, vi } from "vitest";
import { bytesOfEventId, eventIdOfBytes, eventIdOfKey, eventIdOfKeyedEntry, isEventId } from "./event-id.ts";
import { contentOf, eventTimeOf, fingerprintOf, newEventId } from "./event-id.ts";

test("new ids are UUIDv7 and grow, so that rows arrive at the end of the clustered index", () => {
  const ids = Array.from({ length: 1000 }, newEventId);
  expect(ids.every((id) => isEventId(id) && id[14] === "7")).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
});

test("ids have the right time again after the clock was years ahead", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const now = Date.now();
  vi.setSystemTime(now + 86_400_000 * 800);
  newEventId();
  vi.setSystemTime(now);
  expect(eventTimeOf(newEventId())).toBe(now);
});

test("a key always gives the same id in one scope, and another id in another scope", () => {
  expect(eventIdOfKey("purchases/6", "till-1/17")).not.toBe(eventIdOfKey("purchases/5", "till-1/17"));
  expect(eventIdOfKey("a", "b:c")).not.toBe(eventIdOfKey("a:b", "c"));
  // Fixed: if a new version of the code changed the id, a late retry would be a second sale.
  expect(eventIdOfKey("purchases/5", "till-1/17")).toBe("1f0cd5b4-522e-819d-a035-e1192e121093");
  expect(isEventId(eventIdOfKey("purchases/5", "till-1/17"))).toBe(true);
});

test("an entry without a key in a request with a key has an id of its content, which no key gives", () => {
  const own = { requestKey: "k", scope: "s", content: "{}", equalBefore: 0 };
  const id = eventIdOfKeyedEntry(own);
  expect(eventIdOfKeyedEntry({ ...own })).toBe(id);
  const others = [{ equalBefore: 1 }, { requestKey: "k2" }, { scope: "s2" }, { content: "{ }" }];
  for (const other of others) expect(eventIdOfKeyedEntry({ ...own, ...other })).not.toBe(id);
  expect(eventIdOfKeyedEntry({ ...own, scope: "s:", content: "x" })).not.toBe(
    eventIdOfKeyedEntry({ ...own, scope: "s", content: ":x" }),
  );
  for (const key of ["k", "k0", "k/0", "bulk/0/1:k/1:s:{}"]) expect(eventIdOfKey("s", key)).not.toBe(id);
});

test("an id survives the way through its 16 bytes", () => {
  for (const id of [newEventId(), eventIdOfKey("s", "k")]) expect(eventIdOfBytes(bytesOfEventId(id))).toBe(id);
});

test("rejects other ids", () => {
  expect(isEventId("")).toBe(false);
  expect(isEventId("0199f0a0-1111-4111-8111-111111111111")).toBe(false);
  expect(isEventId(`${newEventId()}x`)).toBe(false);
});

const swipe = { id: "1", swiper: 1, liked: true, at: 17, lines: [[1, 2]] };

test("events that differ in their id, the order of their fields or an arrival field have equal content", () => {
  const reordered = { lines: [[1, 2]], at: 18, liked: true, swiper: 1, id: "2" };
  expect(contentOf(reordered, ["at"])).toBe(contentOf(swipe, ["at"]));
  expect(contentOf(reordered)).not.toBe(contentOf(swipe));
});

test.each([{ swiper: 2 }, { liked: false }, { lines: [[2, 1]] }, { lines: [[1, 2], []] }, { comment: "" }])(
  "changing a field to %j changes the content",
  (other) => {
    expect(contentOf({ ...swipe, ...other }, ["at"])).not.toBe(contentOf(swipe, ["at"]));
  },
);

test("different bytes are different content", () => {
  const image = (text: string) => contentOf(Object.assign({ image: Buffer.from(text) }, swipe));
  expect(image("a")).toBe(image("a"));
  expect(image("a")).not.toBe(image("b"));
});

test("a fingerprint is 16 characters of SHA-256 in base64url", () => {
  // From `printf a | openssl dgst -sha256 -binary | base64`.
  expect(fingerprintOf("a")).toBe("ypeBEsobvcr6wjGz");
  expect(fingerprintOf("a")).not.toBe(fingerprintOf("b"));
});
