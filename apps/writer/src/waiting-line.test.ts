import { expect, test } from "vitest";
import type { ReceivedBatch } from "./received-batch.ts";
import { WaitingLine } from "./waiting-line.ts";

interface Size {
  readonly key?: string;
  readonly events?: number;
  readonly bytes?: number;
  readonly hash?: string;
}

function received(
  { key = "a:0", events = 1, bytes = 1, hash = "12345678" }: Size,
  connection = { lost: false },
): ReceivedBatch {
  const batch = {
    id: { producer: key, sequence: 0 },
    createdAt: 0,
    events: Array.from({ length: events }, (_, id) => ({ id: `${id}` })),
  };
  const delivery = {
    body: Buffer.alloc(bytes),
    messageId: key,
    redelivered: false,
    headers: {},
    get lost() {
      return connection.lost;
    },
    ack() {},
    reject() {},
  };
  return { batch, key, bodyHash: Buffer.from(hash), rejected: new Map(), delivery, deliveredAtMs: 0, traced: [] };
}

function lineOf(sizes: readonly Size[], prefetch = 100): WaitingLine {
  const line = new WaitingLine({ eventsPerTransaction: 10, bytesPerTransaction: 1000, prefetch });
  for (const [index, size] of sizes.entries()) line.push(received({ key: `p:${index}`, ...size }));
  return line;
}

test.each([
  ["up to its number of events", [{ events: 6 }, { events: 4 }, { events: 1 }], [2, 1]],
  ["but none in part", [{ events: 6 }, { events: 5 }, { events: 5 }], [1, 2]],
  ["up to its bytes", [{ bytes: 600 }, { bytes: 400 }, { bytes: 1 }], [2, 1]],
  ["at least one, however large", [{ events: 11 }, { bytes: 1001 }, { events: 1 }], [1, 1, 1]],
])("a transaction takes waiting batches in their order, %s", (_, sizes, expected) => {
  const line = lineOf(sizes);
  const groups: (readonly ReceivedBatch[])[] = [];
  for (let cut = 0; cut < sizes.length && !line.isEmpty; cut++) groups.push(line.cut().group);
  expect(groups.map((group) => group.length)).toEqual(expected);
  expect(groups.flat().map(({ key }) => key)).toEqual(sizes.map((_size, index) => `p:${index}`));
});

test.each([
  [[{ events: 9, bytes: 999 }], false],
  [[{ events: 10 }], true],
  [[{ bytes: 1000 }], true],
  [[{ events: 9 }, { events: 2 }], true],
  [Array.from({ length: 3 }, () => ({})), false],
  [Array.from({ length: 4 }, () => ({})), true],
])("a line is full when no more fits into the next transaction, or half of the prefetch waits: %j", (sizes, isFull) => {
  expect(lineOf(sizes, 8).isFull).toBe(isFull);
});

test("a second delivery of a waiting batch is stored once and acknowledged too; other content under its id waits", () => {
  const line = lineOf([{ key: "same" }, { key: "same", hash: "87654321" }, { key: "other" }, { key: "same" }]);
  const { group, copies } = line.cut();
  expect([group, copies].map((batches) => batches.map(({ key }) => key))).toEqual([["same", "other"], ["same"]]);
  expect(line.cut().group.map(({ bodyHash }) => bodyHash.toString())).toEqual(["87654321"]);
  expect(line.isEmpty).toBe(true);
});

test("deliveries of a lost connection leave the line when their copies arrive, also behind a parked batch", () => {
  const line = lineOf([{ key: "parked" }]);
  const first = { lost: false };
  for (const key of ["a", "b"]) line.push(received({ key }, first));
  first.lost = true;
  for (const key of ["a", "b"]) line.push(received({ key }));
  const { group, copies } = line.cut();
  expect([group.map(({ delivery }) => delivery.lost), copies]).toEqual([[false, false, false], []]);
});
