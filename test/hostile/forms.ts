import { albumCreated, asks, rejectedMsg, stores, type HttpCase } from "../http/cases.ts";
import { albumForm, boundary, cover, field, file, formOf, formType, image, picture } from "../http/requests.ts";
import { post, postForm, profile, raw, type Part } from "../http/requests.ts";
import { album } from "../http/stored.ts";

const disposition = 'Content-Disposition: form-data; name="';
const tooManyHeaders = [`${disposition}a"`, ...Array.from({ length: 2000 }, (_, n) => `X${n}: 1`)];
const noWholeForm = /^body: expected a whole form/;
const anyPart = /^(body|image|profile): expected /;
const multipart = "Content-Type: multipart/form-data";
const mixed = `Content-Type: multipart/mixed; boundary=${boundary}`;

const bodies: readonly HttpCase[] = (
  [
    ["JSON", "{}", /^Content-Type: expected multipart\/form-data/, "Content-Type: application/json", 415],
    ["a form without a Content-Type", albumForm(1), /^(Content-Type|body): expected multipart/, "X: y", [400, 415]],
    ["a form with another boundary", albumForm(1), noWholeForm, `${multipart}; boundary=other`],
    ["multipart/mixed", albumForm(1), /^Content-Type: expected multipart/, mixed, 415],
    ["an empty body", "", /^body: expected multipart/],
    ["a form without its last boundary", albumForm(1).subarray(0, -20), noWholeForm],
    ["a part with 2,000 headers", formOf([{ head: tooManyHeaders, bytes: "x" }]), anyPart],
  ] as const
).map(([name, body, text, type = formType, status = 400]) =>
  asks(`${name} as an album is rejected`, () => post("/albums", body, [type]), rejectedMsg(status, text)),
);

/** Its head declares these sizes. */
function sized(width: number, height: number): Part {
  const bytes = picture("png", 200);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return file("image", bytes);
}

const good = field("profile", profile(1));
const base64: Part = { ...cover, head: [...cover.head, "Content-Transfer-Encoding: base64"] };
const huge = file("image", picture("png", 10_485_761));
const nameless: Part = { head: ["Content-Disposition: form-data"], bytes: "x" };
const pixels = /^image: expected at most 8192 pixels a side and 40000000 together, got /;

const parts: readonly HttpCase[] = (
  [
    ["no image", [good], /^image: expected a part of that name, got nothing/],
    ["no profile", [cover], /^profile: expected a part/],
    ["no parts", [], /^image: expected a part/],
    ["two images", [cover, cover, good], /^body: expected each part once/],
    ["an empty image", [file("image", ""), good], /^image: expected a PNG, JPEG, GIF or WebP picture, got nothing$/],
    ["an SVG", [file("image", "<svg onload=alert(1)>"), good], /^image: .*3c737667/],
    ["a PNG of 14,000 by 14,000 pixels", [sized(14_000, 14_000), good], pixels],
    ["an image of a byte over 10 MiB", [huge, good], /^image: expected at most 10485760 bytes/, 413],
    ["a part without a name", [nameless, cover], /^body: expected a name/],
    ["an image in base64", [base64, good], /^body: expected parts as they are/],
    // profile.test.ts has the other profiles.
    ["a profile that is no JSON", [cover, field("profile", "A, T, 2000")], /^profile: expected JSON/],
  ] as const
).map(([name, all, text, status = 400]) =>
  asks(`an album with ${name} is rejected`, () => postForm(all), rejectedMsg(status, text)),
);

const text = (n: number): Part => field("profile", profile(n));
const binary = [`${disposition}image"`, "Content-Transfer-Encoding: binary"];
const otherParts: readonly HttpCase[] = (
  [
    ["with other parts", (n) => [field("__proto__", "x"), cover, text(n), field("constructor", "x")]],
    ["whose file name climbs", (n) => [{ ...cover, head: [`${disposition}image"; filename="../../passwd"`] }, text(n)]],
    ["whose picture has no file name", (n) => [{ head: binary, bytes: image }, text(n)]],
  ] satisfies readonly (readonly [string, (n: number) => readonly Part[]])[]
).map(([name, all]) => stores(`an album ${name} is stored`, (n) => postForm(all(n)), albumCreated, album));

const celine = { artist: "Céline", title: "Ça", year: "2000" };
const texts: readonly HttpCase[] = (
  [
    ["every sign", { artist: "'\"\\\n%_`;--", title: "🎿", year: "'); DROP TABLE albums;" }],
    ["255 characters of four bytes", { artist: "🎿".repeat(255), title: "", year: "" }],
    // Java clients send ISO 8859-1 by default.
    ["letters in ISO 8859-1", celine, Buffer.from(JSON.stringify(celine), "latin1")],
  ] as const
).map(([name, stored, sent = JSON.stringify(stored)]) =>
  stores(
    `a profile with ${name} is stored`,
    () => postForm([cover, field("profile", sent)]),
    albumCreated,
    (n) => album(n, stored),
  ),
);

export const forms: readonly HttpCase[] = [
  ...bodies,
  ...parts,
  ...otherParts,
  ...texts,
  asks(
    "a form of 100 MB that is announced and not sent gets one 413",
    () => raw(["POST /albums HTTP/1.1", "Host: tally", formType, "Content-Length: 100000000"], "--"),
    rejectedMsg(413, /^body: too large/),
    { halfCloses: true },
  ),
  stores(
    "an album behind a preamble is stored",
    (n) => post("/albums", Buffer.concat([Buffer.from("preamble\r\n"), albumForm(n)]), [formType]),
    albumCreated,
    album,
  ),
];
