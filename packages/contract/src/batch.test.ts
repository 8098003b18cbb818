import { Type } from "typebox";
import { expect, test } from "vitest";
import { BatchIds, batchDecoder, encodeBatch, UndecodableBatch } from "./batch.ts";
import { Bytes, encodeEvent, packEvent, unpackEvent } from "./encoded-event.ts";

const Sale = Type.Object({ id: Type.String(), amount: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });
const decode = batchDecoder(Sale, 1);
const sale = (amount: number) => ({ id: "a", amount });

const Picture = Type.Object({ id: Type.String(), title: Type.String(), image: Bytes });
const decodePictures = batchDecoder(Picture, 1);
const pictures = [
  { id: "a", title: "ü💶", image: Buffer.alloc(0) },
  // Newlines and quotes in the bytes, and a text that looks like a placeholder for bytes.
  { id: "b", title: '{"bytes":3}\n', image: Buffer.from('\n"}]\n\0') },
  { id: "c", title: "large", image: Buffer.alloc(300_000, 0x0a) },
];
const pictureBatch = { producer: "0123456789abcdef", sequence: 0 };

test("decodes a batch to what was encoded, with bytes in an event's fields as bytes, not as text", () => {
  const createdAt = 1_700_000_000_000;
  const body = encodeBatch(pictureBatch, createdAt, pictures.map(encodeEvent), 1);
  expect(decodePictures(body)).toEqual({ id: pictureBatch, createdAt, events: pictures });
  expect(body.length).toBeLessThan(300_500);
});

test("sends an unpacked event with bytes unchanged", () => {
  const kept = pictures.map((picture) => unpackEvent(packEvent(encodeEvent(picture))));
  expect(decodePictures(encodeBatch(pictureBatch, 0, kept, 1)).events).toEqual(pictures);
});

test("rejects a message with too few or too many bytes", () => {
  const body = encodeBatch(pictureBatch, 0, pictures.map(encodeEvent), 1);
  for (const wrong of [
    body.subarray(0, -1),
    Buffer.concat([body, Buffer.from("x")]),
    body.subarray(0, body.indexOf("\n")),
  ])
    expect(() => decodePictures(wrong)).toThrow(UndecodableBatch);
});

test("the error for a message that is no batch names the field", () => {
  const id = { producer: "0123456789abcdef", sequence: 0 };
  expect(() => decode(Buffer.from("no JSON"))).toThrow(UndecodableBatch);
  expect(() => decode(encodeBatch(id, 0, [], 1))).toThrow("events");
  // Later than the latest Date.
  expect(() => decode(encodeBatch(id, 1e16, [encodeEvent(sale(1))], 1))).toThrow("createdAt");
  expect(() => decode(encodeBatch(id, 0, [encodeEvent(sale(0))], 1))).toThrow("events[0].amount");
  expect(() => decode(encodeBatch({ ...id, producer: "short" }, 0, [encodeEvent(sale(1))], 1))).toThrow("producer");
});

test("reads events of its version and of earlier ones, and rejects later ones by their version", () => {
  const id = { producer: "0123456789abcdef", sequence: 0 };
  const decodeSecond = batchDecoder(Sale, 2);
  const messageOf = (event: object, version: number) =>
    encodeBatch(id, 0, [encodeEvent({ ...sale(1), ...event })], version);
  for (const version of [1, 2]) expect(decodeSecond(messageOf({}, version)).events).toEqual([sale(1)]);
  const earlier = Buffer.from(messageOf({}, 1).toString().replace('"eventVersion":1,', ""));
  expect(decodeSecond(earlier).events).toEqual([sale(1)]);
  // Even where this release could read the event: it does not know what the version means.
  for (const event of [{}, { till: 3 }])
    expect(() => decodeSecond(messageOf(event, 3))).toThrow("eventVersion: expected at most 2");
});

test("batch ids never repeat, and no sequence has marks of more than 8 MiB: a forged one is rejected", () => {
  const ids = new BatchIds();
  const { producer } = ids.next();
  for (let left = 2 ** 26 - 2; left > 0; left--) ids.next();
  expect(ids.next()).toEqual({ producer, sequence: 8 * 1024 ** 2 * 8 - 1 });
  const [next, other] = [ids.next(), new BatchIds().next()];
  expect([next.sequence, new Set([producer, next.producer, other.producer]).size]).toEqual([0, 3]);
  const messageOf = (sequence: number) => encodeBatch({ producer, sequence }, 0, [encodeEvent(sale(1))], 1);
  expect(decode(messageOf(2 ** 26 - 1)).id.sequence).toBe(2 ** 26 - 1);
  for (const sequence of [2 ** 26, 2 ** 32 - 1])
    expect(() => decode(messageOf(sequence))).toThrow(/^sequence: expected .* got \d+$/);
});
