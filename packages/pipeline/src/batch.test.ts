import { Type } from "typebox";
import { expect, test } from "vitest";
import { BatchIds } from "./batch-id.ts";
import { batchDecoder, encodeBatch, UndecodableBatch } from "./batch.ts";

const Sale = Type.Object({ id: Type.String(), amount: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });
const decode = batchDecoder(Sale);

test("a batch comes out as it went in", () => {
  const id = new BatchIds().next();
  const events = [
    { id: "a", amount: 1 },
    { id: "ü💶", amount: 2 },
  ];
  const body = encodeBatch(
    id,
    1_700_000_000_000,
    events.map((event) => JSON.stringify(event)),
  );
  expect(decode(body)).toEqual({ id, createdAt: 1_700_000_000_000, events });
});

test("a message that is no batch names the place", () => {
  const id = { producer: "0123456789abcdef", sequence: 0 };
  expect(() => decode(Buffer.from("no JSON"))).toThrow(UndecodableBatch);
  expect(() => decode(encodeBatch(id, 0, []))).toThrow("events");
  expect(() => decode(encodeBatch(id, 0, ['{"id":"a","amount":0}']))).toThrow("events[0].amount");
  expect(() => decode(encodeBatch({ ...id, producer: "short" }, 0, ['{"id":"a","amount":1}']))).toThrow("producer");
});

test("batch ids never repeat", () => {
  const ids = [new BatchIds(), new BatchIds()].flatMap((one) => Array.from({ length: 100 }, () => one.next()));
  expect(new Set(ids.map((id) => `${id.producer}:${id.sequence}`)).size).toBe(200);
});
