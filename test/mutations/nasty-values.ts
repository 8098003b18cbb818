/** The words of a text, then `more`. */
function words(text: string, ...more: readonly string[]): readonly [string, ...string[]] {
  const [first = "", ...rest] = text.trim().split(/\s+/);
  return [first, ...rest, ...more];
}

/** JSON texts, and texts that only look like JSON, in the place of a value. */
export const nastyJson = words(
  String.raw`
    0 -0 -1 1.0 1e2 1.5 1e400 -1e400 1e-400 9007199254740991 9007199254740992 18446744073709551615
    2147483648 4294967296 65536 1440 1441 1000001 99999999999999999999999999
    null true false [] {} [1] {"a":1} "" "0" "007" "-1" "1e2" "0x10" "9007199254740992"
    "\u0000" "a\u0000b" "\ud800" "\udc00\ud800" "\ud83c\udfbf" "🎿" "\"\\\n\t%_${"`"};--" "__proto__"
    NaN 01 '1' /**/1 "20260230" "20240229" 20261120 "99991231"`,
  `1${"0".repeat(400)}`,
  '" "',
  '"\u202e\u200b\ufeff"',
  '"e\u0301"',
  `"${"x".repeat(257)}"`,
  `"${"🎿".repeat(256)}"`,
  `"${"x".repeat(5000)}"`,
  `"' OR '1'='1"`,
  "[".repeat(70) + "]".repeat(70),
  "1 1",
);

/** Texts in the place of a segment of a path or a value of a query, as they appear in a target. */
export const nastySegments = words(
  String.raw`
    0 -1 1.5 1e3 007 9007199254740991 9007199254740992 abc % %zz %00 1%00 %2f %2e%2e .. . %20 1%20 +1
    %F0%9F%8E%BF %ff %c0%af %ed%a0%80 null undefined NaN __proto__ constructor '-- 1;x 1,2 * ( a:b {1}
    left right like top 20260230 20240229 24 65535 65536 4294967296 ~ \ |`,
  "9".repeat(100),
  "9".repeat(2500),
);

/** Names of queries; most belong to some route. */
export const queryNames = words("limit date storeID cursor resort day dayID by mutual __proto__ x[] %00", "");

/** Header lines beside those of a valid request. None of them changes where a request ends. */
export const nastyHeaders: readonly (readonly [name: string, value: string])[] = [
  ...`
    Content-Type: application/json
    Content-Type: text/plain
    Content-Type: 
    Content-Type: application/json; charset=utf-16
    Content-Encoding: identity
    Content-Encoding: deflate
    Content-Encoding: gzip
    Content-Encoding: 
    Accept: */*;q=nonsense
    Accept-Encoding: gzip, br, zstd
    Accept-Encoding: gzip;q=0, *;q=0
    Host: other
    X-Forwarded-For: 1.2.3.4, ::1, x
    Expect: 100-continue
    Expect: x
    Connection: close
    Connection: keep-alive, close
    Connection: Upgrade, HTTP2-Settings
    Upgrade: h2c
    Range: bytes=0-0,-1
    Idempotency-Key: 
    If-None-Match: *
    If-Modified-Since: x
    Authorization: Bearer x
    X-Api-Key: x
    __proto__: x
    constructor: x
    Trailer: X
    TE: trailers
    Date: x
    Origin: null
    Referer: javascript:alert(1)
    Max-Forwards: -1
    Via: 1.1 x, 1.1 x`
    .trim()
    .split("\n")
    .map((line) => line.trim())
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const),
  ["Cookie", "x".repeat(3000)],
  ["X-Request-Id", "\xff".repeat(200)],
  ["X-Long", "y".repeat(8000)],
  ["Idempotency-Key", "\xfc"],
  ["Idempotency-Key", "k".repeat(256)],
];
