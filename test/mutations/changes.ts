import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Random } from "@tally/bench/kit";
import { headerOf, type RequestModel } from "./requests.ts";

/** The words of a text, then `more`. */
function words(text: string, ...more: readonly string[]): readonly [string, ...string[]] {
  const [first = "", ...rest] = text.trim().split(/\s+/);
  return [first, ...rest, ...more];
}

/** JSON texts, and texts that only look like JSON, in the place of a value. */
const nastyJson = words(
  String.raw`
    0 -0 -1 1.0 1e2 1.5 1e400 -1e400 9007199254740991 9007199254740992 18446744073709551615 2147483648 4294967296
    65536 1440 1441 1000001 null true [] {} [1] {"a":1} "" "007" "-1" "1e2" "0x10" "9007199254740992" "\u0000"
    "a\u0000b" "\ud800" "\ud83c\udfbf" "🎿" "\"\\\n\t%_--" "__proto__" NaN 01 '1' /**/1 "20260230" 20261120 "99991231"`,
  `1${"0".repeat(400)}`,
  '"\u202e\u200b\ufeff"',
  `"${"🎿".repeat(256)}"`,
  `"${"x".repeat(5000)}"`,
  "[".repeat(70) + "]".repeat(70),
  "1 1",
);

/** Texts in the place of a segment of a path or a value of a query, as they appear in a target. */
const nastySegments = words(
  String.raw`
    0 -1 1.5 1e3 007 9007199254740991 9007199254740992 abc % %zz %00 1%00 %2f %2e%2e .. . %20 1%20 +1 %F0%9F%8E%BF %ff
    %c0%af %ed%a0%80 null NaN __proto__ '-- 1;x ( a:b {1} left like top 20260230 20240229 24 65536 4294967296 \ |`,
  "9".repeat(2500),
);

/** Names of queries; most belong to some route. */
const queryNames = words("limit date storeID cursor resort day dayID by mutual __proto__ x[] %00", "");

/** Header lines beside those of a valid request. None of them changes where a request ends. */
const nastyHeaders = `
  Content-Type: text/plain
  Content-Type:
  Content-Type: application/json; charset=utf-16
  Content-Encoding: identity
  Content-Encoding: deflate
  Content-Encoding: gzip
  Accept: */*;q=nonsense
  Accept-Encoding: gzip;q=0, *;q=0
  Host: other
  X-Forwarded-For: 1.2.3.4, ::1, x
  Expect: 100-continue
  Expect: x
  Connection: keep-alive, close
  Connection: Upgrade, HTTP2-Settings
  Upgrade: h2c
  Range: bytes=0-0,-1
  Idempotency-Key:
  Idempotency-Key: ${"k".repeat(256)}
  If-None-Match: *
  Authorization: Bearer x
  __proto__: x
  Trailer: X
  Origin: null
  Via: 1.1 x, 1.1 x
  Cookie: ${"x".repeat(3000)}
  X-Long: ${"y".repeat(8000)}`
  .trim()
  .split("\n")
  .map((line) => [line.trim().split(":", 1).join(), line.slice(line.indexOf(":") + 1).trim()] as const);

const likely = Buffer.from('{}[]",:\\\0\r\n \t%-/?#&=;0019eE.+\xff\x7f\xed\xa0\x80', "latin1");

/** Flips, inserts, deletes, repeats or swaps bytes, one to four times. */
export function changeBytes(bytes: Buffer, random: Random): Buffer {
  let changed = bytes;
  for (let times = random.integer(1, 4); times > 0; times--) {
    const at = random.integer(0, Math.max(0, changed.length - 1));
    const to = at + random.integer(1, 30);
    const [before, part, after] = [changed.subarray(0, at), changed.subarray(at, to), changed.subarray(to)];
    const from = random.integer(0, likely.length - 1);
    const pieces = random.pick([
      [before, Buffer.of((part[0] ?? 0) ^ (1 << random.integer(0, 7))), part.subarray(1), after],
      [before, random.once(2) ? likely.subarray(from, from + 1) : Buffer.of(random.integer(0, 255)), part, after],
      [before, part.subarray(random.integer(1, 4)), after],
      [before, part, part, after],
      [before, part.subarray(5), part.subarray(0, 5), after],
    ]);
    changed = Buffer.concat(pieces);
  }
  return changed;
}

/** Changes a request without changing where it ends. */
type Change = (model: RequestModel, random: Random) => RequestModel;

const withText = (model: RequestModel, change: (text: string) => string): RequestModel =>
  model.body === undefined ? model : { ...model, body: Buffer.from(change(model.body.toString("latin1")), "latin1") };

const bodyBytes: Change = (model, random) => ({
  ...model,
  body: model.body === undefined ? Buffer.of(random.integer(0, 255)) : changeBytes(model.body, random),
});

/** Replaces one string or number of a body, or puts one in the place of another. */
const jsonValue: Change = (model, random) =>
  withText(model, (text) => {
    const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?/g)];
    const any = () => tokens[random.integer(0, Math.max(0, tokens.length - 1))];
    const [chosen, other] = [any(), any()];
    if (chosen === undefined) return text;
    const value = random.once(3) ? other?.[0] : Buffer.from(random.pick(nastyJson)).toString("latin1");
    return text.slice(0, chosen.index) + value + text.slice(chosen.index + chosen[0].length);
  });

const segment: Change = (model, random) => {
  const [path = "", ...query] = model.target.split("?");
  const segments = path.split("/");
  const at = random.integer(1, Math.max(1, segments.length - 1));
  const changed = segments.toSpliced(at, random.once(5) ? 0 : 1, random.pick(nastySegments));
  return { ...model, target: [changed.join("/"), ...query].join("?") };
};

const query: Change = (model, random) => {
  const mark = model.target.includes("?") ? "&" : "?";
  return { ...model, target: `${model.target}${mark}${random.pick(queryNames)}=${random.pick(nastySegments)}` };
};

const slashes: Change = (model, random) => {
  const { target } = model;
  return { ...model, target: random.once(2) ? `${target}/` : target.replaceAll("/", random.pick(["//", "/./"])) };
};

const header: Change = (model, random) => {
  const added = nastyHeaders[random.integer(0, nastyHeaders.length - 1)] ?? ["X", "y"];
  return { ...model, headers: random.once(2) ? [...model.headers, added] : [added, ...model.headers] };
};
const headerTwice: Change = (model) => ({ ...model, headers: [...model.headers, ...model.headers.slice(0, 1)] });
const noHeaders: Change = (model) => ({ ...model, headers: [] });

const chunks: Change = (model, random) => {
  const sizes = Array.from({ length: random.integer(1, 4) }, () => random.integer(1, random.pick([2, 20, 5000])));
  return { ...model, chunkSizes: sizes };
};

const compression: Change = (model, random) => {
  if (model.body === undefined || headerOf(model, "content-encoding") !== undefined) return model;
  const [encoding, compress] = random.pick<readonly [string, (bytes: Buffer) => Buffer]>([
    ["gzip", (bytes) => gzipSync(bytes, { level: 1 })],
    ["br", (bytes) => brotliCompressSync(bytes, { params: { 1: 1 } })],
    ["zstd", (bytes) => zstdCompressSync(bytes)],
  ]);
  return { ...model, headers: [...model.headers, ["Content-Encoding", encoding]], body: compress(model.body) };
};

const method: Change = (model, random) => ({
  ...model,
  method: random.pick(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]),
});

const longBody: Change = (model, random) => {
  const filler = Buffer.alloc(random.pick([100_000, 1_100_000]), random.pick([" ", "[", "0", '"', "\0"]));
  return { ...model, body: random.once(2) ? filler : Buffer.concat([filler, model.body ?? Buffer.alloc(0)]) };
};

/** Changes after which a valid request is still valid. */
export const harmless: readonly [Change, ...Change[]] = [
  chunks,
  compression,
  (model, random) => compression(chunks(model, random), random),
  (model) => ({ ...model, headers: [...model.headers, ["X-Forwarded-For", "1.2.3.4"]] }),
  (model) => ({ ...model, target: model.target.replace("/", "//") }),
];

/** Repeats each choice by its weight, so that an even pick is a weighted one. */
export function weighted<T>(...choices: readonly [Weighted<T>, ...Weighted<T>[]]): readonly [T, ...T[]] {
  const all = choices.flatMap(([weight, choice]) => Array.from({ length: weight }, () => choice));
  return [choices[0][1], ...all.slice(1)];
}
type Weighted<T> = readonly [weight: number, choice: T];

/** Changes that may do anything to the meaning of a request. */
export const structural = weighted<Change>(
  [3, bodyBytes],
  [6, jsonValue],
  [2, segment],
  [1, query],
  [1, slashes],
  [2, header],
  [1, headerTwice],
  [1, noHeaders],
  [1, chunks],
  [1, compression],
  [1, (model, random) => bodyBytes(compression(model, random), random)],
  [1, method],
  [1, (model, random) => (random.once(8) ? longBody(model, random) : jsonValue(model, random))],
);
