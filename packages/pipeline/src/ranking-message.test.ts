import { expect, test } from "vitest";
import { decodeRankingMessage, encodeRankingMessage, UndecodableRankingMessage } from "./ranking-message.ts";

const message = {
  batch: { producer: "0123456789abcdef", sequence: 7 },
  storedAt: 1_700_000_000_000,
  shards: [Buffer.from("one\nwith a line"), Buffer.alloc(0), Buffer.from([0, 10, 255])],
};

test("a ranking message comes out as it went in, newlines in the moves included", () => {
  expect(decodeRankingMessage(encodeRankingMessage(message))).toEqual(message);
});

test("a message that was cut, lengthened or is something else is refused", () => {
  const body = encodeRankingMessage(message);
  for (const broken of [
    body.subarray(0, -1),
    Buffer.concat([body, body]),
    Buffer.from("{}\n"),
    Buffer.from("x"),
    Buffer.alloc(0),
  ]) {
    expect(() => decodeRankingMessage(broken)).toThrow(UndecodableRankingMessage);
  }
});
