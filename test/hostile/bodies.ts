import { asks, post, refused, type HttpCase } from "../http/http-case.ts";
import { saleBody, salePath, sells } from "../http/sample-requests.ts";

const stored = (name: string, body: string | Buffer, headers?: readonly string[]): HttpCase =>
  sells(`${name} is stored`, (n) => post(salePath(n), body, headers));
type Bad = readonly [name: string, body: string | Buffer, text: RegExp, status?: number | readonly number[]];
const rejected = (rows: readonly Bad[]): readonly HttpCase[] =>
  rows.map(([name, body, text, status = 400]) =>
    asks(`${name} is rejected`, (n) => post(salePath(n), body), refused(status, text)),
  );
const typed = (type: string, status: number | readonly number[], text: RegExp): HttpCase =>
  asks(
    `a Content-Type of ${type.slice(0, 50)} is rejected`,
    (n) => post(salePath(n), saleBody, [`Content-Type: ${type}`]),
    refused(status, text),
  );

const types: readonly HttpCase[] = [
  stored("no Content-Type", saleBody, []),
  ...[
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json; a=b; CHARSET = us-ascii",
    "application/json; charset=utf8",
    "application/json; profile=x",
    "application/vnd.shop+json",
  ].map((type) => stored(`a Content-Type of ${type}`, saleBody, [`Content-Type: ${type}`])),
  ...[
    "utf-16",
    "utf-16le",
    "UTF-32",
    '"ISO-8859-1"',
    "",
    "utf-8; charset=utf-16",
    "windows-1252",
    "shift_jis",
    "utf-7",
    "nonsense",
  ].map((charset) =>
    typed(`application/json; charset=${charset}`, 415, /^Content-Type: expected charset=utf-8, got "application/),
  ),
  asks(
    "a bulk request with charset=utf-16 is rejected",
    () => post("/purchases", saleBody, ["Content-Type: application/x-ndjson; charset=utf-16"]),
    refused(415, /^Content-Type: expected charset=utf-8, got "application/),
  ),
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"].map(
    (type) => typed(type, 415, /^Content-Type: expected application\/json/),
  ),
  typed("json", 415, /^Content-Type: expected the type of a body/),
  ...[
    "application/",
    "/json",
    "*/*",
    "application/json, text/plain",
    "application/jsonx",
    `application/${"x".repeat(300)}`,
    "\xff\xfe",
  ].map((type) => typed(type, [400, 415], /^Content-Type: expected/)),
  typed("application/x-ndjson", [400, 415], /^(Content-Type|body): expected/),
];

const withId = (...bytes: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from('{"items":[{"ItemID":"'), Buffer.from(bytes), Buffer.from('","numberOfItems":1}]}')]);
const noUtf8 = /^body: expected UTF-8/;
const noJson = /^body: expected JSON/;
const noObject = /^body: expected an object/;
const noField = (name: string): RegExp => new RegExp(`^${name}: expected no such field`);
const items = (item: string, count: number): string => `{"items":[${Array<string>(count).fill(item).join()}]}`;
const item = '{"ItemID":1,"numberOfItems":1}';
const with1 = (found: string, replacement: string): string => saleBody.replace(found, replacement);

const bad = rejected([
  ["a byte of 0xff", withId(0xff), noUtf8],
  ["an overlong NUL", withId(0xc0, 0x80), noUtf8],
  ["half a character", withId(0xe2, 0x82), noUtf8],
  ["a surrogate in UTF-8", withId(0xed, 0xa0, 0x80), noUtf8],
  ["a character beyond Unicode", withId(0xf4, 0x90, 0x80, 0x80), noUtf8],
  ["UTF-16 with its mark", Buffer.from(`\ufeff${saleBody}`, "utf16le"), /^body: expected /],
  ["UTF-16 without a mark", Buffer.from(saleBody, "utf16le"), noJson],
  ["a NUL between the tokens", with1(":", ":\0"), noJson],
  ["a NUL within a string", with1("85571", "85\x00571"), noJson],
  ["a line end within a string", with1("85571", "85\n571"), noJson],
  ["an escaped NUL in an id", with1("85571", "85571\\u0000"), /^items\[0\]\.ItemID: expected an integer/],
  ["a vertical tab between the tokens", with1(":", ":\v"), noJson],
  ["an open brace", "{", noJson],
  ["a comma at the end", '{"items":[{"ItemID":1,"numberOfItems":1},]}', noJson],
  ["a comment", `/* one */${saleBody}`, noJson],
  ["quotes of another kind", saleBody.replaceAll('"', "'"), noJson],
  ["a value and more", `${saleBody}{}`, noJson],
  ["NaN", with1(":3", ":NaN"), noJson],
  ["Infinity", with1(":3", ":Infinity"), noJson],
  ["a number with a zero in front", with1(":3", ":03"), noJson],
  ["a number with a plus", with1(":3", ":+3"), noJson],
  ["a number in hexadecimal", with1(":3", ":0x3"), noJson],
  ["a number without digits in front of its point", with1(":3", ":.3"), noJson],
  ["a bad escape", with1("85571", "\\x38"), noJson],
  ["a form", "items=1&ItemID=2", noJson],
  ["XML", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', noJson],
  ["a script", "<script>alert(1)</script>", noJson],
  ["only white space", " \r\n\t ", /^body: expected/],
  ["a list", "[]", noObject],
  ["null", "null", noObject],
  ["a string", '"items"', noObject],
  ["a number", "5", noObject],
  ["true", "true", noObject],
  ["1e400 as a body", "1e400", /^body: expected (?!.*got null)/],
  ["5,000 open lists", "[".repeat(5000), /^body: expected /],
  ["5,000 lists within each other", "[".repeat(5000) + "]".repeat(5000), /^body: expected at most 64 levels/],
  ["200,000 open lists", "[".repeat(200_000), /^body: /, [400, 413]],
  [
    "5,000 objects within each other",
    `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
    /^body: expected at most 64 levels/,
  ],
  [
    "50,000 keys",
    `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join()}}`,
    /^(k0|items|body): /,
    [400, 413],
  ],
  ["a key of 100 kB", `{"${"k".repeat(100_000)}":1}`, /: expected /],
  ["a number of 100,000 digits", with1('"85571"', "9".repeat(100_000)), /^items\[0\]\.ItemID: expected (?!.*got null)/],
  ["a body of a byte more than 1 MiB", `${" ".repeat(1024 * 1024)}1`, /^body: /, 413],
  ["a key twice", with1('"ItemID"', '"ItemID":1,"ItemID"'), /^items\[0\]\.ItemID: expected each key once/],
  [
    "a key twice, once escaped",
    with1('"ItemID"', '"Item\\u0049D":1,"ItemID"'),
    /^items\[0\]\.ItemID: expected each key once/,
  ],
  ["items twice", with1('{"items"', '{"items":[],"items"'), /^items: expected each key once/],
  ["__proto__", with1('{"items"', '{"__proto__":{"items":[]},"items"'), noField("__proto__")],
  ["constructor", with1('{"items"', '{"constructor":{"prototype":{}},"items"'), noField("constructor")],
  ["toString as a field", with1('{"items"', '{"toString":1,"items"'), noField("toString")],
  ["an empty key", with1('{"items"', '{"":1,"items"'), /expected no such field/],
  ["a key of half a surrogate", with1('{"items"', '{"\\ud800":1,"items"'), /expected no such field/],
  ["an unknown field", with1("}]}", '}],"discount":5}'), noField("discount")],
  ["no items", "{}", /^items: expected a list of 1 to 500 items, got nothing/],
  ["an empty list of items", '{"items":[]}', /^items: expected a list of 1 to 500 items, got a list of 0/],
  ["items that are an object with a length", `{"items":{"length":1,"0":${item}}}`, /^items: expected a list/],
  ["501 items", items(item, 501), /^items: expected a list of 1 to 500 items/],
  ["3,000 items", items(item, 3000), /^items: expected a list of 1 to 500 items, got a list of 3000/],
  ["20,000 empty items", items("{}", 20_000), /^body: expected at most 10000 values/],
  ["an item that is a number", items("1", 1), /^items\[0\]: expected an object/],
  ["no ItemID", '{"items":[{"numberOfItems":1}]}', /^items\[0\]\.ItemID: expected an integer/],
  ["no count", '{"items":[{"ItemID":1}]}', /^items\[0\]\.numberOfItems: expected an integer from 1 to 1000000/],
  ["a count of 0", with1(":3", ":0"), /^items\[0\]\.numberOfItems: .*got 0/],
  ["a count over a million", with1(":3", ":1000001"), /^items\[0\]\.numberOfItems/],
  [
    "an unknown field of an item",
    with1('"ItemID"', '"price":1,"ItemID"'),
    /^items\[0\]\.price: expected no such field/,
  ],
  ["both kinds of counts", with1(":3", ':3,"numberOfItems:":3'), /^items\[0\]: expected one of/],
]);

/** Bodies of one sale: content types, bytes, texts. */
export const bodies: readonly HttpCase[] = [
  ...types,
  ...bad,
  stored("white space of JSON", saleBody.replaceAll(":", " :\t\r\n ")),
  stored("escaped letters in a key", with1("items", "\\u0069tems")),
  stored("escaped digits in an id", with1("85571", "\\u00385571")),
  stored("80 kB of white space", `${" ".repeat(80_000)}${saleBody}`),
  stored("the count under the key that the published model has", with1('"numberOfItems"', '"numberOfItems:"')),
  asks(
    "a body of 100 MB is rejected by its length, before it is read",
    (n) => Buffer.from(post(salePath(n), "{").toString().replace("Content-Length: 1\r", "Content-Length: 104857600\r")),
    refused(413, /^body: too large/),
    { halfCloses: true },
  ),
];
