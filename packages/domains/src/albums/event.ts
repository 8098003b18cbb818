import { Bytes } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, EventId } from "../values.ts";
import { ImageType } from "./image.ts";

/** For each text of a profile. */
export const textCharactersMax = 255;
const Text = Type.String({
  maxLength: textCharactersMax,
  expected: `a text of at most ${textCharactersMax} characters`,
});

export const AlbumEvent = closed({
  kind: Type.Literal("album"),
  id: EventId,
  artist: Text,
  title: Text,
  year: Text,
  imageType: ImageType,
  image: Bytes,
});
export type AlbumEvent = Static<typeof AlbumEvent>;

export const ReviewEvent = closed({
  kind: Type.Literal("review"),
  id: EventId,
  albumId: EventId,
  liked: Type.Boolean(),
});
export type ReviewEvent = Static<typeof ReviewEvent>;

/** An event of the domain, in messages and as stored. */
export const AlbumsEvent = Type.Union([AlbumEvent, ReviewEvent]);
export type AlbumsEvent = Static<typeof AlbumsEvent>;
