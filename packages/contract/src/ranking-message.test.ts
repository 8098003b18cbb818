import { expect, test } from "vitest";
import { decodeRankingMessage, encodeRankingMessage, UndecodableRankingMessage } from "./ranking-message.ts";

const message = {
  batch: { producer: "0123456789abcdef", sequence: 7 },
  storedAt: 1_700_000_000_000,
  // As encodeMoves writes them: on the board "b" the member "m" moves by 10, which is a newline; nothing.
  shards: ["9292a16292a16d0a90", "929090"].map(bytesOf),
};

const mebi = 2 ** 20;

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}

test("decodes a ranking message to what was encoded, with newlines in the moves", () => {
  const body = encodeRankingMessage(message);
  expect(decodeRankingMessage(body)).toEqual(message);
  const earlier = Buffer.from(body.toString("latin1").replace('"v":3', '"v":2'), "latin1");
  expect(decodeRankingMessage(earlier)).toEqual(message);
});

test("rejects a message that is cut, extended or of another kind", () => {
  const body = encodeRankingMessage(message);
  for (const broken of [
    body.subarray(0, -1),
    Buffer.concat([body, body]),
    Buffer.from("{}\n"),
    Buffer.from("x"),
    Buffer.alloc(0),
    encodeRankingMessage({ ...message, shards: [] }),
    encodeRankingMessage({ ...message, storedAt: 1e300 }),
    encodeRankingMessage({ ...message, storedAt: 0 }),
    encodeRankingMessage({ ...message, series: "x".repeat(256) }),
    encodeRankingMessage({ ...message, shards: [bytesOf(`9292a16292db00280000${"00".repeat(2.5 * mebi)}0190`)] }),
    encodeRankingMessage({ ...message, batch: { ...message.batch, sequence: 2 ** 26 } }),
  ]) {
    expect(() => decodeRankingMessage(broken)).toThrow(UndecodableRankingMessage);
  }
});

test.each([
  ["an integer of 4 bytes", "9292a16292a16dd28000000090"],
  ["a large integer", "9292a16292a16dcbc1e000000000000090"],
  ["a long text and lists with long heads", "92dc0002d90162dd00000002da00016dd1ff0090"],
  ["a mirrored count", "929093a56974656d3aa673746f72653a92a13792a135fe"],
  ["a mirrored count that falls", "929093a56974656d3aa673746f72653a92a13792a13501"],
  ["a text of 2 MiB", `9292a16292db00200000${"00".repeat(2 * mebi)}0190`],
  ["joined prefixes", "929093a3612c62a3632c6492a13792a13501"],
])("accepts moves with %s", (_, hex) => {
  expect(() => decodeRankingMessage(encodeRankingMessage({ ...message, shards: [bytesOf(hex)] }))).not.toThrow();
});

test.each([
  ["no bytes", ""],
  ["random bytes", "c1ff00aa"],
  ["one list", "9190"],
  ["three lists", "93909090"],
  ["a list that ends early", "9292a16292a16d"],
  ["a list of four thousand million", "92ddffffffff90"],
  ["a text that ends early", "9292dbffffffff"],
  ["bytes after the end", "92909000"],
  ["a board without changes", "9291a16290"],
  ["a board that is no text", "92920792a16d0190"],
  ["a member that is no text", "9292a1629207019090"],
  ["a change that is no number", "9292a16292a16da16d90"],
  ["NaN", "9292a16292a16dcb7ff800000000000090"],
  ["Infinity", "9292a16292a16dcb7ff000000000000090"],
  ["a fraction", "9292a16292a16dcb3fe000000000000090"],
  ["a number beyond 2^53", "9292a16292a16dcb434000000000000090"],
  ["a mirrored count that is no number", "929093a56974656d3aa673746f72653a92a13792a135a16d"],
  ["mirrored counts without members", "929092a56974656d3aa673746f72653a"],
  ["three joined prefixes", "929093a3612c2ca3632c6492a13792a13501"],
  ["three joined mirror prefixes", "929093a3612c62a3632c2c92a13792a13501"],
  ["a board of 256 bytes", `9292da0100${"37".repeat(256)}92a16d0190`],
  ["a mirrored member of 256 bytes", `929093a161a16292da0100${"37".repeat(256)}92a13501`],
  ["a mirror prefix of 256 bytes", `929093a161da0100${"37".repeat(256)}92a13792a13501`],
])("rejects moves with %s", (_, hex) => {
  const body = encodeRankingMessage({ ...message, shards: [...message.shards, bytesOf(hex)] });
  expect(() => decodeRankingMessage(body)).toThrow(/^moves of shard 2: /);
});
