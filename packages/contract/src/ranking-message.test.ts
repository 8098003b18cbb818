import { expect, test } from "vitest";
import { decodeRankingMessage, encodeRankingMessage, UndecodableRankingMessage } from "./ranking-message.ts";

const message = {
  batch: { producer: "0123456789abcdef", sequence: 7 },
  storedAt: 1_700_000_000_000,
  shards: [Buffer.from("one\nwith a line"), Buffer.alloc(0), Buffer.from([0, 10, 255])],
};

test("decodes a ranking message to what was encoded, with newlines in the moves", () => {
  expect(decodeRankingMessage(encodeRankingMessage(message))).toEqual(message);
});

test("rejects a message that is cut, extended or of another kind", () => {
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
