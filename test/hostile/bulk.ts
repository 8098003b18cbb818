import { answered, chunked, post, refused, type HostileCase } from "./hostile-case.ts";
import { entry, sale } from "./sample-requests.ts";

const ndjson = "Content-Type: application/x-ndjson";
const all = (n: number, count: number) => Array.from({ length: count }, () => sale(n));

const not = (
  name: string,
  status: number,
  says: RegExp,
  body: string | Buffer,
  headers?: readonly string[],
): HostileCase => ({
  name: `${name} as many sales is refused`,
  send: () => post("/purchases", body, headers),
  expect: [refused(status, says)],
});

const wholes: readonly HostileCase[] = [
  not("an empty list", 400, /^body: expected 1 to 1000 entries/, "[]"),
  not("an object", 400, /^body: expected a JSON array/, "{}"),
  not("null", 400, /^body: expected a JSON array/, "null"),
  not("a text", 400, /^body: expected a JSON array/, '"[]"'),
  not("nothing", 400, /^body: expected /, ""),
  not("no lines", 400, /^body: expected 1 to 1000 entries/, "\n\r\n \n", [ndjson]),
  not("1,001 entries", 400, /^body: expected (1 to|at most) 1000 entries/, `[${Array(1001).fill(1).join()}]`),
  not("1,001 lines", 400, /^body: expected (1 to|at most) 1000 entries/, "1\n".repeat(1001), [ndjson]),
  not(
    "100,000 empty lists",
    400,
    /^body: expected (1 to|at most) 1000 entries/,
    `[${Array(100_000).fill("[]").join()}]`,
  ),
  not(
    "100,000 empty objects",
    400,
    /^body: expected (1 to|at most) 1000 entries/,
    `[${Array(100_000).fill("{}").join()}]`,
  ),
  not("400,000 lines of one digit", 400, /^body: expected (1 to|at most) 1000 entries/, "1\n".repeat(400_000), [
    ndjson,
  ]),
  not("a list that does not end", 400, /^body: expected JSON/, `[${entry(1)}`),
  not("a list with a comma at the end", 400, /^body: expected JSON/, `[${entry(1)},]`),
  not("lists within each other", 400, /^body: expected /, "[".repeat(2000) + "]".repeat(2000)),
];

const bad = (entryText: string, error: RegExp, name = entryText): HostileCase => ({
  name: `the entry ${name.slice(0, 60)} is refused, the one beside it is stored`,
  send: (n) => post("/purchases", `[${entryText.replaceAll("N", String(n))},${entry(n)}]`),
  expect: [answered(207, new RegExp(`"accepted":1,"refused":1,.*"index":0,"status":400,"error":"${error.source}`))],
  stores: (n) => [sale(n)],
});

const template = entry(0).replace('"storeID":0', '"storeID":N');
const entries: readonly HostileCase[] = [
  bad("5", /body: expected an object/),
  bad("null", /body: expected an object/),
  bad("[]", /body: expected an object/),
  bad("{}", /storeID: expected an integer/),
  bad(template.replace('"storeID":N', '"storeID":-1'), /storeID: expected an integer/, "storeID -1"),
  bad(
    template.replace('"storeID":N', '"storeID":1e400'),
    /storeID: expected an integer(?![^}]*got null)/,
    "storeID 1e400",
  ),
  bad(template.replace('"custID":1', '"custID":"x"'), /custID: expected an integer/, "custID x"),
  bad(template.replace('"custID":1', '"custID":1,"price":1'), /price: expected no such field/, "price"),
  bad(template.replace('"custID":1', '"custID":1,"__proto__":1'), /__proto__: expected no such field/, "__proto__"),
  bad(template.replace(/"items":.*$/, '"items":[]}'), /items: expected a list/, "no items"),
  bad(template.replace(":3", ":0"), /items\[0\]\.numberOfItems: expected an integer/, "a count of 0"),
];

const keys: readonly HostileCase[] = [
  ["empty", '""'],
  ["of 256 characters", `"${"k".repeat(256)}"`],
  ["with a space", '"a b"'],
  ["with a NUL", String.raw`"a\u0000"`],
  ["with a line end", String.raw`"a\n"`],
  ["beyond ASCII", '"ü"'],
  ["of half a surrogate", String.raw`"\ud800"`],
  ["of the other half", String.raw`"\ud801"`],
  ["that is a number", "5"],
  ["that is null", "null"],
].map(([what = "", key = ""]) =>
  bad(template.replace(/}$/, `,"idempotencyKey":${key}}`), /idempotencyKey: expected /, `with a key ${what}`),
);

const lines: readonly HostileCase[] = [
  {
    name: "lines of which some are no JSON, no UTF-8 or name a key twice concern themselves only",
    send: (n) =>
      post(
        "/purchases",
        Buffer.concat([
          Buffer.from(`${entry(n)}\r\n{\n`),
          Buffer.of(0x7b, 0xff, 0x7d, 0x0a),
          Buffer.from(`${entry(n).replace('"custID":1', '"custID":1,"custID":2')}\n\n${entry(n)}`),
        ]),
        [ndjson],
      ),
    expect: [answered(207, /"accepted":2,"refused":3,/)],
    stores: (n) => all(n, 2),
  },
  {
    name: "lines that end with CR alone are one line",
    send: (n) => post("/purchases", `${entry(n)}\r${entry(n)}`, [ndjson]),
    expect: [answered(400, /"error":"body: expected JSON/)],
  },
  {
    name: "a NUL between lines concerns its line only",
    send: (n) => post("/purchases", `${entry(n)}\n\0\n${entry(n)}`, [ndjson]),
    expect: [answered(207, /"accepted":2,"refused":1,/)],
    stores: (n) => all(n, 2),
  },
  {
    name: "a thousand sales in chunks of odd sizes are stored",
    send(n) {
      const body = `[${Array(1000).fill(entry(n)).join()}]`;
      const parts = body.match(/[^]{1,4999}/g) ?? [];
      return chunked("/purchases", parts);
    },
    expect: [answered(201, /"accepted":1000,"refused":0/)],
    stores: (n) => all(n, 1000),
  },
  {
    name: "a text in a sale's place of 500 kB is refused",
    send: (n) => post("/purchases", `["${"x".repeat(500_000)}",${entry(n)}]`),
    expect: [answered(207, /"accepted":1,"refused":1,/)],
    stores: (n) => [sale(n)],
  },
  {
    name: "entries that are all refused are 400 as a whole",
    send: () => post("/purchases", "[1,2]"),
    expect: [answered(400, /"accepted":0,"refused":2,/)],
  },
];

/** Many sales in one request. */
export const bulk: readonly HostileCase[] = [...wholes, ...entries, ...keys, ...lines];
