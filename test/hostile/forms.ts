import { field, file, formOf, formType } from "../form.ts";
import { answered, post, raw, refusedMsg, type HostileCase } from "./hostile-case.ts";
import { album, albumForm, image, postAlbum, profile } from "./sample-requests.ts";
import type { StoredContent } from "./stored-content.ts";

const taken = answered(200, /^\{"albumID":"[0-9a-f-]{36}(\.[0-9a-z]+)?","imageSize":"\d+"\}$/);
const cover = file("image", image);
const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

const noForm = (
  name: string,
  status: number | readonly number[],
  says: RegExp,
  body: string | Buffer,
  headers: readonly string[] = [formType],
): HostileCase => ({
  name: `${name} as an album is refused`,
  send: () => post("/albums", body, headers),
  expect: [refusedMsg(status, says)],
});

const bodies: readonly HostileCase[] = [
  noForm("JSON", 415, /^Content-Type: expected multipart/, "{}", ["Content-Type: application/json"]),
  noForm("no Content-Type", [400, 415], /^(Content-Type|body): expected multipart/, albumForm(1), []),
  noForm("a form without a boundary", 400, /^Content-Type: expected .*boundary/, "x", [
    "Content-Type: multipart/form-data",
  ]),
  noForm("a form with an empty boundary", 400, /^(Content-Type|body): expected /, "x", [
    "Content-Type: multipart/form-data; boundary=",
  ]),
  noForm("a form with another boundary", 400, /^body: expected a whole form/, albumForm(1), [
    "Content-Type: multipart/form-data; boundary=other",
  ]),
  noForm("a form with a boundary of 5,000 characters", 400, /^(Content-Type|body): expected /, "x", [
    `Content-Type: multipart/form-data; boundary=${"b".repeat(5000)}`,
  ]),
  noForm("multipart/mixed", 415, /^Content-Type: expected multipart/, albumForm(1), [
    `Content-Type: multipart/mixed; boundary=${boundary}`,
  ]),
  noForm("an empty body", 400, /^body: expected multipart/, ""),
  noForm("no form", 400, /^body: expected a whole form/, "no form"),
  noForm("half a form", 400, /^body: expected a whole form/, albumForm(1).subarray(0, 200)),
  noForm("a form without its last boundary", 400, /^body: expected a whole form/, albumForm(1).subarray(0, -20)),
  noForm("a boundary and nothing", 400, /^body: expected a whole form/, `--${boundary}\r\n`),
  noForm("only boundaries", 400, /^(body|image): expected /, `--${boundary}\r\n`.repeat(10)),
  noForm(
    "headers of a part of 20 kB",
    400,
    /^(body|image|profile): expected /,
    formOf([{ head: [`Content-Disposition: form-data; name="${"n".repeat(20_000)}"`], bytes: "x" }]),
  ),
  noForm(
    "a part with 2,000 headers",
    400,
    /^(body|image|profile): expected /,
    formOf([
      {
        head: ['Content-Disposition: form-data; name="a"', ...Array.from({ length: 2000 }, (_, n) => `X${n}: 1`)],
        bytes: "x",
      },
    ]),
  ),
  {
    name: "a form of 100 MB that is announced and not sent is refused once",
    send: () => raw(["POST /albums HTTP/1.1", "Host: tally", formType, "Content-Length: 100000000"], "--"),
    halfCloses: true,
    expect: [refusedMsg(413, /^body: too large/)],
  },
];

const texts = (n: number, more: object): StoredContent => ({ ...album(n), ...more });
const withText = (name: string, makes: (n: number) => string, stores: (n: number) => StoredContent): HostileCase => ({
  name: `a profile with ${name} is stored as it is`,
  send: (n) => post("/albums", formOf([cover, field("profile", makes(n))]), [formType]),
  expect: [taken],
  stores: (n) => [stores(n)],
});

const good: readonly HostileCase[] = [
  { name: "a plain album is stored", send: (n) => postAlbum(n), expect: [taken], stores: (n) => [album(n)] },
  {
    name: "an album with a part that is not asked for is stored",
    send: (n) => post("/albums", formOf([cover, field("profile", profile(n)), field("more", "x")]), [formType]),
    expect: [taken],
    stores: (n) => [album(n)],
  },
  {
    name: "an album with a part named __proto__ is stored",
    send: (n) =>
      post(
        "/albums",
        formOf([field("__proto__", "x"), cover, field("profile", profile(n)), field("constructor", "x")]),
        [formType],
      ),
    expect: [taken],
    stores: (n) => [album(n)],
  },
  {
    name: "an album whose file name climbs is stored",
    send: (n) =>
      post(
        "/albums",
        formOf([
          { head: ['Content-Disposition: form-data; name="image"; filename="../../../etc/passwd"'], bytes: image },
          field("profile", profile(n)),
        ]),
        [formType],
      ),
    expect: [taken],
    stores: (n) => [album(n)],
  },
  {
    name: "an album behind a preamble is stored",
    send: (n) => post("/albums", Buffer.concat([Buffer.from("preamble\r\n"), albumForm(n)]), [formType]),
    expect: [taken],
    stores: (n) => [album(n)],
  },
  withText(
    "every sign",
    () => JSON.stringify({ artist: "'\"\\\n%_`;--", title: "🎿", year: "'); DROP TABLE albums;" }),
    (n) => texts(n, { artist: "'\"\\\n%_`;--", title: "🎿", year: "'); DROP TABLE albums;" }),
  ),
  withText(
    "255 characters of four bytes",
    () => JSON.stringify({ artist: "🎿".repeat(255), title: "", year: "" }),
    (n) => texts(n, { artist: "🎿".repeat(255), title: "", year: "" }),
  ),
  withText(
    "a year that is a number",
    () => '{"artist":"A","title":"T","year":-2000.5}',
    (n) => texts(n, { title: "T", year: "-2000.5" }),
  ),
  withText(
    "__proto__",
    () => '{"__proto__":{"artist":"B"},"artist":"A","title":"T","year":"1"}',
    (n) => texts(n, { title: "T", year: "1" }),
  ),
  withText(
    "the text of a class",
    (n) => `class AlbumsProfile {\n    artist: A\n    title: T${n}\n    year: 2000\n}`,
    (n) => album(n),
  ),
];

/** Whole forms: what is no form, and what is an album. */
export const forms: readonly HostileCase[] = [...bodies, ...good];
