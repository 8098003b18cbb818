import { created, json, post, refused, type HostileCase } from "./hostile-case.ts";
import { sale, saleBody, salePath } from "./sample-requests.ts";

const stored = (name: string, body: string | Buffer, headers?: readonly string[]): HostileCase => ({
  name: `${name} is stored`,
  send: (n) => post(salePath(n), body, headers),
  expect: [created],
  stores: (n) => [sale(n)],
});
const not = (
  name: string,
  status: number | readonly number[],
  says: RegExp,
  body: string | Buffer,
  headers?: readonly string[],
): HostileCase => ({
  name: `${name} is refused`,
  send: (n) => post(salePath(n), body, headers),
  expect: [refused(status, says)],
});

const types: readonly HostileCase[] = [
  stored("no Content-Type", saleBody, []),
  stored("a Content-Type in capitals", saleBody, ["Content-Type: APPLICATION/JSON"]),
  stored("a Content-Type with charset=utf-8", saleBody, ["Content-Type: application/json; charset=utf-8"]),
  stored('a Content-Type with charset="UTF-8"', saleBody, ['Content-Type: application/json;charset="UTF-8"']),
  stored("a Content-Type with a further parameter", saleBody, ["Content-Type: application/json; profile=x"]),
  stored("a Content-Type of a suffix +json", saleBody, ["Content-Type: application/vnd.shop+json"]),
  ...["utf-16", "utf-16le", "UTF-32", "iso-8859-1", "windows-1252", "shift_jis", "utf-7", "nonsense"].map((charset) =>
    not(`charset=${charset}`, 415, /^Content-Type: /, saleBody, [`Content-Type: application/json; charset=${charset}`]),
  ),
  ...[
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "json",
    "application/",
    "/json",
    "*/*",
    "application/json, text/plain",
    "application/jsonx",
    `application/${"x".repeat(300)}`,
    "\xff\xfe",
  ].map((type) =>
    not(`a Content-Type of ${type.slice(0, 40)}`, [400, 415], /^Content-Type: expected/, saleBody, [
      `Content-Type: ${type}`,
    ]),
  ),
  not("lines of JSON at a route of one sale", [400, 415], /^(Content-Type|body): expected/, saleBody, [
    "Content-Type: application/x-ndjson",
  ]),
];

const utf8 = (text: string, ...bytes: readonly number[]): Buffer => {
  const [before = "", after = ""] = text.split("%");
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};
const withId = '{"items":[{"ItemID":"%","numberOfItems":1}]}';

const bytes: readonly HostileCase[] = [
  not("a byte of 0xff", 400, /^body: expected UTF-8/, utf8(withId, 0xff)),
  not("an overlong NUL", 400, /^body: expected UTF-8/, utf8(withId, 0xc0, 0x80)),
  not("half a character", 400, /^body: expected UTF-8/, utf8(withId, 0xe2, 0x82)),
  not("a surrogate in UTF-8", 400, /^body: expected UTF-8/, utf8(withId, 0xed, 0xa0, 0x80)),
  not("a character beyond Unicode", 400, /^body: expected UTF-8/, utf8(withId, 0xf4, 0x90, 0x80, 0x80)),
  not(
    "UTF-16 with its mark",
    400,
    /^body: expected /,
    Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(saleBody, "utf16le")]),
  ),
  not("UTF-16 without a mark", 400, /^body: expected JSON/, Buffer.from(saleBody, "utf16le")),
  not("a NUL between the tokens", 400, /^body: expected JSON/, saleBody.replace(":", ":\0")),
  not("a NUL within a string", 400, /^body: expected JSON/, saleBody.replace("85571", "85\x00571")),
  not("a line end within a string", 400, /^body: expected JSON/, saleBody.replace("85571", "85\n571")),
  not(
    "an escaped NUL in an id",
    400,
    /^items\[0\]\.ItemID: expected an integer/,
    saleBody.replace("85571", "85571\\u0000"),
  ),
  not("a vertical tab between the tokens", 400, /^body: expected JSON/, saleBody.replace(":", ":\v")),
  stored("white space of JSON", saleBody.replaceAll(":", " :\t\r\n ")),
  stored("escaped letters in a key", saleBody.replace("items", "\\u0069tems")),
  stored("escaped digits in an id", saleBody.replace("85571", "\\u00385571")),
  stored("80 kB of white space", `${" ".repeat(80_000)}${saleBody}`),
];

const texts: readonly HostileCase[] = [
  not("an open brace", 400, /^body: expected JSON/, "{"),
  not("a comma at the end", 400, /^body: expected JSON/, '{"items":[{"ItemID":1,"numberOfItems":1},]}'),
  not("a comment", 400, /^body: expected JSON/, `/* one */${saleBody}`),
  not("quotes of another kind", 400, /^body: expected JSON/, saleBody.replaceAll('"', "'")),
  not("a value and more", 400, /^body: expected JSON/, `${saleBody}{}`),
  not("NaN", 400, /^body: expected JSON/, saleBody.replace(":3", ":NaN")),
  not("Infinity", 400, /^body: expected JSON/, saleBody.replace(":3", ":Infinity")),
  not("a number with a zero in front", 400, /^body: expected JSON/, saleBody.replace(":3", ":03")),
  not("a number with a plus", 400, /^body: expected JSON/, saleBody.replace(":3", ":+3")),
  not("a number in hexadecimal", 400, /^body: expected JSON/, saleBody.replace(":3", ":0x3")),
  not("a number without digits in front of its point", 400, /^body: expected JSON/, saleBody.replace(":3", ":.3")),
  not("a bad escape", 400, /^body: expected JSON/, saleBody.replace("85571", "\\x38")),
  not("a form", 400, /^body: expected JSON/, "items=1&ItemID=2"),
  not(
    "XML",
    400,
    /^body: expected JSON/,
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  ),
  not("a script", 400, /^body: expected JSON/, "<script>alert(1)</script>"),
  not("only white space", 400, /^body: expected/, " \r\n\t "),
  not("a list", 400, /^body: expected an object/, "[]"),
  not("null", 400, /^body: expected an object/, "null"),
  not("a string", 400, /^body: expected an object/, '"items"'),
  not("a number", 400, /^body: expected an object/, "5"),
  not("true", 400, /^body: expected an object/, "true"),
  not("1e400 as a body", 400, /^body: expected (?!.*got null)/, "1e400"),
  not("5,000 open lists", 400, /^body: expected /, "[".repeat(5000)),
  not("5,000 lists within each other", 400, /^body: expected at most 64 levels/, "[".repeat(5000) + "]".repeat(5000)),
  not("200,000 open lists", [400, 413], /^body: /, "[".repeat(200_000)),
  not(
    "5,000 objects within each other",
    400,
    /^body: expected at most 64 levels/,
    '{"a":'.repeat(5000) + "1" + "}".repeat(5000),
  ),
  not(
    "100,000 keys",
    [400, 413],
    /^(k0|items|body): /,
    `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join()}}`,
  ),
  not("a key of 100 kB", 400, /: expected /, `{"${"k".repeat(100_000)}":1}`),
  not(
    "a number of 100,000 digits",
    400,
    /^items\[0\]\.ItemID: expected (?!.*got null)/,
    saleBody.replace('"85571"', "9".repeat(100_000)),
  ),
  not("a body of a byte more than 1 MiB", 413, /^body: /, " ".repeat(1024 * 1024) + "1"),
  not(
    "a key twice",
    400,
    /^items\[0\]\.ItemID: expected each key once/,
    saleBody.replace('"ItemID"', '"ItemID":1,"ItemID"'),
  ),
  not(
    "a key twice, once escaped",
    400,
    /^items\[0\]\.ItemID: expected each key once/,
    saleBody.replace('"ItemID"', '"Item\\u0049D":1,"ItemID"'),
  ),
  not("items twice", 400, /^items: expected each key once/, saleBody.replace('{"items"', '{"items":[],"items"')),
  not(
    "__proto__",
    400,
    /^__proto__: expected no such field/,
    saleBody.replace('{"items"', '{"__proto__":{"items":[]},"items"'),
  ),
  not(
    "constructor",
    400,
    /^constructor: expected no such field/,
    saleBody.replace('{"items"', '{"constructor":{"prototype":{}},"items"'),
  ),
  not(
    "toString as a field",
    400,
    /^toString: expected no such field/,
    saleBody.replace('{"items"', '{"toString":1,"items"'),
  ),
  not("an empty key", 400, /expected no such field/, saleBody.replace('{"items"', '{"":1,"items"')),
  not("a key of half a surrogate", 400, /expected no such field/, saleBody.replace('{"items"', '{"\\ud800":1,"items"')),
  not(
    "items that are an object with a length",
    400,
    /^items: expected a list/,
    '{"items":{"length":1,"0":{"ItemID":1,"numberOfItems":1}}}',
  ),
  not(
    "501 items",
    400,
    /^items: expected a list of 1 to 500 items/,
    `{"items":[${Array(501).fill('{"ItemID":1,"numberOfItems":1}').join()}]}`,
  ),
  not(
    "an unknown field of an item",
    400,
    /^items\[0\]\.price: expected no such field/,
    saleBody.replace('"ItemID"', '"price":1,"ItemID"'),
  ),
  not("both kinds of counts", 400, /^items\[0\]: expected one of/, saleBody.replace(":3", ':3,"numberOfItems:":3')),
];

/** Bodies of one sale: content types, bytes, texts. */
export const bodies: readonly HostileCase[] = [...types, ...bytes, ...texts, stored("a sale", saleBody, [json])];
