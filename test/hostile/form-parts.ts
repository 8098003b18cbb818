import { field, file, formOf, formType, picture, type Part } from "../form.ts";
import { post, refusedMsg, type HostileCase } from "./hostile-case.ts";
import { image, profile } from "./sample-requests.ts";

const cover = file("image", image);

const not = (name: string, status: number | readonly number[], says: RegExp, parts: readonly Part[]): HostileCase => ({
  name: `an album with ${name} is refused`,
  send: () => post("/albums", formOf(parts), [formType]),
  expect: [refusedMsg(status, says)],
});
const withProfile = (name: string, status: number, says: RegExp, text: string): HostileCase =>
  not(`the profile ${name}`, status, says, [cover, field("profile", text)]);

const sized = (kind: "png" | "gif", width: number, height: number): Buffer => {
  const bytes = picture(kind, 200);
  if (kind === "png") {
    bytes.write("\0\0\0\rIHDR", 8, "latin1");
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
  } else {
    bytes.writeUInt16LE(width, 6);
    bytes.writeUInt16LE(height, 8);
  }
  return bytes;
};

const parts: readonly HostileCase[] = [
  not("no image", 400, /^image: expected a part/, [field("profile", profile(1))]),
  not("no profile", 400, /^profile: expected a part/, [cover]),
  not("no parts", 400, /^image: expected a part/, []),
  not("two images", 400, /^body: expected each part once/, [cover, cover, field("profile", profile(1))]),
  not("two profiles", 400, /^body: expected each part once/, [
    cover,
    field("profile", profile(1)),
    field("profile", profile(2)),
  ]),
  not("an empty image", 400, /^image: expected a PNG/, [file("image", ""), field("profile", profile(1))]),
  not("an SVG", 400, /^image: expected a PNG/, [file("image", "<svg onload=alert(1)>"), field("profile", profile(1))]),
  not("a page", 400, /^image: expected a PNG/, [
    file("image", "<html><script>alert(1)</script>"),
    field("profile", profile(1)),
  ]),
  not("a program", 400, /^image: expected a PNG/, [file("image", "\x7fELF"), field("profile", profile(1))]),
  not("seven bytes of a PNG", 400, /^image: expected a PNG/, [
    file("image", image.subarray(0, 7)),
    field("profile", profile(1)),
  ]),
  not("a PNG of 14,000 by 14,000 pixels", 400, /^image: .*(pixels|wide|width|dimension)/i, [
    file("image", sized("png", 14_000, 14_000)),
    field("profile", profile(1)),
  ]),
  not("a PNG of 4,294,967,295 pixels in a row", 400, /^image: .*(pixels|wide|width|dimension)/i, [
    file("image", sized("png", 0xffffffff, 1)),
    field("profile", profile(1)),
  ]),
  not("a GIF of 65,535 by 65,535 pixels", 400, /^image: .*(pixels|wide|width|dimension)/i, [
    file("image", sized("gif", 65_535, 65_535)),
    field("profile", profile(1)),
  ]),
  not("a part without a name", 400, /^body: expected a name/, [
    { head: ["Content-Disposition: form-data"], bytes: "x" },
    cover,
  ]),
  not("a part without a header", [400], /^(body|image): expected /, [{ head: ["X: 1"], bytes: "x" }]),
  not("an image in base64", 400, /^body: expected parts as they are/, [
    { head: [...cover.head, "Content-Transfer-Encoding: base64"], bytes: image.toString("base64") },
    field("profile", profile(1)),
  ]),
  not(
    "30 parts",
    400,
    /^body: expected at most 20 parts/,
    Array.from({ length: 30 }, (_, n) => field(`f${n}`, "x")),
  ),
  not(
    "5,000 parts",
    400,
    /^body: expected at most 20 parts/,
    Array.from({ length: 5000 }, (_, n) => field(`f${n}`, "x")),
  ),
  not("a profile of 20 kB", 400, /^profile: expected at most 10000 bytes/, [
    cover,
    field("profile", "x".repeat(20_000)),
  ]),
];

const profiles: readonly HostileCase[] = [
  withProfile("that is empty", 400, /^profile: expected JSON/, ""),
  withProfile("that is neither", 400, /^profile: expected JSON/, "A, T, 2000"),
  withProfile("that is half a JSON text", 400, /^profile: expected JSON/, '{"artist":"A"'),
  withProfile("that is a list", 400, /^profile: expected JSON/, '["A","T","2000"]'),
  withProfile("without a year", 400, /^profile\.year: expected a text/, '{"artist":"A","title":"T"}'),
  withProfile(
    "with a list as its artist",
    400,
    /^profile\.artist: expected a text/,
    '{"artist":[],"title":"T","year":"2000"}',
  ),
  withProfile(
    "with null as its title",
    400,
    /^profile\.title: expected a text/,
    '{"artist":"A","title":null,"year":"2000"}',
  ),
  withProfile(
    "with the year 1e400",
    400,
    /^profile\.year: expected a text (?!.*got null)/,
    '{"artist":"A","title":"T","year":1e400}',
  ),
  withProfile(
    "with an artist of 256 characters",
    400,
    /^profile\.artist: expected a text of at most 255/,
    `{"artist":"${"x".repeat(256)}","title":"T","year":"2000"}`,
  ),
  withProfile(
    "with a NUL",
    400,
    /^profile\.artist: expected a text/,
    String.raw`{"artist":"a\u0000","title":"T","year":"2000"}`,
  ),
  withProfile(
    "with half a surrogate",
    400,
    /^profile\.artist: expected a text/,
    String.raw`{"artist":"\ud83c","title":"T","year":"2000"}`,
  ),
  withProfile(
    "of a class without its end",
    400,
    /^profile: expected JSON/,
    "class AlbumsProfile {\n    artist: A\n    title: T\n",
  ),
  withProfile(
    "of a class with a NUL",
    400,
    /^profile\.artist: expected a text/,
    "class AlbumsProfile {\n    artist: A\0\n    title: T\n    year: 2000\n}",
  ),
  withProfile("with many brackets", 400, /^profile: expected /, "{".repeat(9000)),
];

/** Parts of forms, and the profiles in them. */
export const formParts: readonly HostileCase[] = [...parts, ...profiles];
