import { Bytes } from "@tally/pipeline";
import { Type, type Static } from "typebox";
import { EventId } from "../stored-values.ts";
import { ImageType } from "./image-type.ts";

/** The most characters of a text in a profile. */
export const textCharactersMax = 255;
const Text = Type.String({
  maxLength: textCharactersMax,
  expected: `a text of at most ${textCharactersMax} characters`,
});

/** An album with its picture. */
const AlbumEvent = Type.Object(
  {
    kind: Type.Literal("album"),
    id: EventId,
    artist: Text,
    title: Text,
    year: Text,
    imageType: ImageType,
    image: Bytes,
  },
  { additionalProperties: false },
);
export type AlbumEvent = Static<typeof AlbumEvent>;

/** What somebody thinks of an album. */
const ReviewEvent = Type.Object(
  { kind: Type.Literal("review"), id: EventId, albumId: EventId, liked: Type.Boolean() },
  { additionalProperties: false },
);
export type ReviewEvent = Static<typeof ReviewEvent>;

/** Either, as it travels and as it is stored. */
export const AlbumsEvent = Type.Union([AlbumEvent, ReviewEvent]);
export type AlbumsEvent = Static<typeof AlbumsEvent>;
