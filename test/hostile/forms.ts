import { field, file, formOf, formType, picture, type Part } from "../http/form.ts";
import { asks, post, raw, refusedMsg, stores, type HttpCase } from "../http/http-case.ts";
import { album, albumCreated, albumForm, cover, image, postForm, profile } from "../http/sample-requests.ts";

const boundary = formType.slice(formType.indexOf("=") + 1);
const disposition = 'Content-Disposition: form-data; name="';
const tooManyHeaders = [`${disposition}a"`, ...Array.from({ length: 2000 }, (_, n) => `X${n}: 1`)];
const noWholeForm = /^body: expected a whole form/;
const anyPart = /^(body|image|profile): expected /;
const multipart = "Content-Type: multipart/form-data";

const bodies: readonly HttpCase[] = (
  [
    ["JSON", "{}", /^Content-Type: expected multipart\/form-data/, "Content-Type: application/json", 415],
    ["a form without a Content-Type", albumForm(1), /^(Content-Type|body): expected multipart/, "X: y", [400, 415]],
    ["a form without a boundary", "x", /^Content-Type: expected .*boundary/, multipart],
    ["a form with an empty boundary", "x", /^(Content-Type|body): expected /, `${multipart}; boundary=`],
    ["a form with another boundary", albumForm(1), noWholeForm, `${multipart}; boundary=other`],
    [
      "a boundary of 5,000 characters",
      "x",
      /^(Content-Type|body): expected /,
      `${multipart}; boundary=${"b".repeat(5000)}`,
    ],
    [
      "multipart/mixed",
      albumForm(1),
      /^Content-Type: expected multipart/,
      `Content-Type: multipart/mixed; boundary=${boundary}`,
      415,
    ],
    ["an empty body", "", /^body: expected multipart/],
    ["no form", "no form", noWholeForm],
    ["half a form", albumForm(1).subarray(0, 200), noWholeForm],
    ["a form without its last boundary", albumForm(1).subarray(0, -20), noWholeForm],
    ["a boundary and nothing", `--${boundary}\r\n`, noWholeForm],
    ["headers of a part of 20 kB", formOf([{ head: [`${disposition}${"n".repeat(20_000)}"`], bytes: "x" }]), anyPart],
    ["a part with 2,000 headers", formOf([{ head: tooManyHeaders, bytes: "x" }]), anyPart],
  ] as const
).map(([name, body, text, type = formType, status = 400]) =>
  asks(`${name} as an album is rejected`, () => post("/albums", body, [type]), refusedMsg(status, text)),
);

/** Its head declares these sizes. */
function sized(width: number, height: number): Part {
  const bytes = picture("png", 200);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return file("image", bytes);
}

const good = field("profile", profile(1));
const noPicture = /^image: expected a PNG, JPEG, GIF or WebP/;
const pixels = /^image: expected at most 8192 pixels a side and 40000000 together, got /;

const parts: readonly HttpCase[] = (
  [
    ["no image", [good], /^image: expected a part of that name, got nothing/],
    ["no profile", [cover], /^profile: expected a part/],
    ["no parts", [], /^image: expected a part/],
    ["two images", [cover, cover, good], /^body: expected each part once/],
    ["two profiles", [cover, good, field("profile", profile(2))], /^body: expected each part once/],
    ["an empty image", [file("image", ""), good], noPicture],
    ["an SVG", [file("image", "<svg onload=alert(1)>"), good], /^image: .*3c737667/],
    ["a PNG of 14,000 by 14,000 pixels", [sized(14_000, 14_000), good], pixels],
    [
      "an image of a byte over 10 MiB",
      [file("image", picture("png", 10_485_761)), good],
      /^image: expected at most 10485760 bytes/,
      413,
    ],
    [
      "a part without a name",
      [{ head: ["Content-Disposition: form-data"], bytes: "x" }, cover],
      /^body: expected a name/,
    ],
    ["a part without a header", [{ head: ["X: 1"], bytes: "x" }], /^(body|image): expected /],
    [
      "an image in base64",
      [{ ...cover, head: [...cover.head, "Content-Transfer-Encoding: base64"] }, good],
      /^body: expected parts as they are/,
    ],
    ["30 parts", Array.from({ length: 30 }, (_, n) => field(`f${n}`, "x")), /^body: expected at most 20 parts/],
    // profile.test.ts has the other profiles.
    ["a profile that is no JSON", [cover, field("profile", "A, T, 2000")], /^profile: expected JSON/],
    ["a profile of 20 kB", [cover, field("profile", "x".repeat(20_000))], /^profile: expected at most 10000 bytes/],
  ] as const
).map(([name, all, text, status = 400]) =>
  asks(`an album with ${name} is rejected`, () => postForm(all), refusedMsg(status, text)),
);

const text = (n: number): Part => field("profile", profile(n));
const otherParts: readonly HttpCase[] = (
  [
    ["with another part", (n) => [cover, text(n), field("more", "x")]],
    [
      "with parts named __proto__ and constructor",
      (n) => [field("__proto__", "x"), cover, text(n), field("constructor", "x")],
    ],
    [
      "whose file name climbs",
      (n) => [{ head: [`${disposition}image"; filename="../../../etc/passwd"`], bytes: image }, text(n)],
    ],
    [
      "whose picture has no file name",
      (n) => [{ head: [`${disposition}image"`, "Content-Transfer-Encoding: binary"], bytes: image }, text(n)],
    ],
    ["whose profile names its type", (n) => [cover, field("profile", profile(n), "Content-Type: application/json")]],
    ["whose profile is a file", (n) => [cover, file("profile", profile(n), "application/octet-stream")]],
    ["whose profile comes first", (n) => [text(n), cover]],
  ] satisfies readonly (readonly [string, (n: number) => readonly Part[]])[]
).map(([name, all]) => stores(`an album ${name} is stored`, (n) => postForm(all(n)), albumCreated, album));

const texts: readonly HttpCase[] = (
  [
    ["every sign", { artist: "'\"\\\n%_`;--", title: "🎿", year: "'); DROP TABLE albums;" }],
    ["255 characters of four bytes", { artist: "🎿".repeat(255), title: "", year: "" }],
    ["letters in UTF-8", { artist: "Céline", title: "Ça", year: "2000" }],
    // Java clients send ISO 8859-1 by default.
    [
      "letters in ISO 8859-1",
      { artist: "Céline", title: "Ça", year: "2000" },
      Buffer.from('{"artist":"Céline","title":"Ça","year":"2000"}', "latin1"),
    ],
  ] as const
).map(([name, stored, sent = JSON.stringify(stored)]) =>
  stores(
    `a profile with ${name} is stored`,
    () => postForm([cover, { ...field("profile", ""), bytes: sent }]),
    albumCreated,
    (n) => album(n, stored),
  ),
);

/** Albums as forms. */
export const forms: readonly HttpCase[] = [
  ...bodies,
  ...parts,
  ...otherParts,
  ...texts,
  asks(
    "a form of 100 MB that is announced and not sent gets one 413",
    () => raw(["POST /albums HTTP/1.1", "Host: tally", formType, "Content-Length: 100000000"], "--"),
    refusedMsg(413, /^body: too large/),
    { halfCloses: true },
  ),
  stores(
    "an album behind a preamble is stored",
    (n) => post("/albums", Buffer.concat([Buffer.from("preamble\r\n"), albumForm(n)]), [formType]),
    albumCreated,
    album,
  ),
];
