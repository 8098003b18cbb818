import { isUtf8 } from "node:buffer";
import { formRoute, ingestRoute, InvalidInput, type FormPart } from "@tally/contract";
import { Type } from "typebox";
import { albumIdOf, AlbumParams, ofAlbum, parseAlbumId, profiles } from "./album-lookup.ts";
import type { AlbumEvent, AlbumsEvent } from "./event.ts";
import { expectedImage, imageSizeOf, imageTypeOf, isTooLarge, pixelsMax, sidePixelsMax } from "./image.ts";
import { expectedProfile, parseProfile } from "./profile.ts";

/** A GIF of one pixel. All of its bytes are ASCII, so an example can hold it as text. */
const exampleImage = "GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/** The event id of the album in the examples, made of its Idempotency-Key. */
export const exampleAlbum = "3d13dd20-5d62-8db2-a5df-88b16140b093";

// Enough for the longest texts with any escaping.
const profileBytesMax = 10_000;

const expectedSize = `at most ${sidePixelsMax} pixels a side and ${pixelsMax} together`;

const Image = Type.String({ format: "binary", expected: expectedImage });
const Profile = Type.Union(
  [
    Type.Object({ artist: Type.String(), title: Type.String(), year: Type.Union([Type.String(), Type.Number()]) }),
    Type.String(),
  ],
  { expected: expectedProfile },
);

const newAlbum = formRoute({
  path: "/albums",
  summary: "a new album",
  description:
    'Parts `image` (PNG, JPEG, GIF or WebP, by default up to 10 MiB) and `profile` (`{"artist","title","year"}` as JSON, or the text of a generated client). Both fields of the response are texts',
  params: Type.Object({}),
  form: Type.Object({ image: Image, profile: Profile }),
  scope: () => "albums",
  toEvent(id, _params, form): AlbumsEvent {
    const { bytes: image } = partNamed("image", form["image"]);
    const { bytes: profile } = partNamed("profile", form["profile"]);
    const imageType = imageTypeOf(image);
    if (imageType === undefined) throw new InvalidInput("image", expectedImage, startOf(image));
    const size = imageSizeOf(imageType, image);
    if (size === "hidden" || (size !== undefined && isTooLarge(size)))
      throw new InvalidInput("image", expectedSize, size);
    if (profile.length > profileBytesMax)
      throw new InvalidInput("profile", `at most ${profileBytesMax} bytes`, profile.length);
    // Java clients send form texts in ISO 8859-1 by default.
    const text = profile.toString(isUtf8(profile) ? "utf8" : "latin1");
    return { kind: "album", id, ...parseProfile(text), imageType, image } satisfies AlbumEvent;
  },
  status: 200,
  // Both are strings.
  response: Type.Object({ albumID: Type.String(), imageSize: Type.String() }),
  respond(event: AlbumsEvent, acceptedAtMs) {
    const size = event.kind === "album" ? event.image.length : 0;
    return { albumID: albumIdOf(event.id, acceptedAtMs), imageSize: String(size) };
  },
  examples: {
    "an album with a picture": {
      form: { image: exampleImage, profile: { artist: "The Tills", title: "Receipts", year: "2026" } },
      idempotencyKey: "album-000001",
      response: { albumID: `${exampleAlbum}.mi8s1c4h`, imageSize: String(exampleImage.length) },
    },
  },
});

const newReview = ingestRoute({
  path: "/review/:opinion/:albumID",
  summary: "a review of an album",
  description: "`like` or `dislike`; 404 for an unknown album",
  params: Type.Object({
    opinion: Type.Union([Type.Literal("like"), Type.Literal("dislike")], { expected: "like or dislike" }),
    ...AlbumParams.properties,
  }),
  body: "ignored",
  scope: ({ opinion, albumID }) => `albums/${opinion}/${parseAlbumId(albumID).eventId}`,
  async requires({ albumID }, sources) {
    await ofAlbum(profiles, albumID, sources);
  },
  toEvent: (id, { opinion, albumID }): AlbumsEvent => ({
    kind: "review",
    id,
    albumId: parseAlbumId(albumID).eventId,
    liked: opinion === "like",
  }),
  status: 201,
  examples: { "a like": { params: { opinion: "like", albumID: exampleAlbum }, idempotencyKey: "listener-12-000003" } },
});

export const routes = [newAlbum, newReview];

function partNamed(name: string, part: FormPart | undefined): FormPart {
  if (part === undefined) throw new InvalidInput(name, "a part of that name", undefined);
  return part;
}

function startOf(bytes: Buffer): string | undefined {
  return bytes.length === 0 ? undefined : `bytes that begin with ${bytes.toString("hex", 0, 8)}`;
}
