import { expect, test } from "vitest";
import { contentOf, fingerprintOf } from "./event-id.ts";

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
  const image = (text: string): string => {
    const event = { ...swipe, image: Buffer.from(text) };
    return contentOf(event);
  };
  expect(image("a")).toBe(image("a"));
  expect(image("a")).not.toBe(image("b"));
});

test("a fingerprint is 16 characters of SHA-256 in base64url", () => {
  // From `printf a | openssl dgst -sha256 -binary | base64`.
  expect(fingerprintOf("a")).toBe("ypeBEsobvcr6wjGz");
  expect(fingerprintOf("a")).not.toBe(fingerprintOf("b"));
});
