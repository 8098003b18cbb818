import { contentRoute, eventIdOfBytes, queryRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { None } from "../request-values.ts";
import { AsOf, TopLimit, topOf } from "../top-of.ts";
import { AlbumParams, parseAlbumId } from "./album-id.ts";
import { images, ofAlbum, profiles } from "./lookups.ts";
import { memberOf } from "./rank.ts";

const oneAlbum = queryRoute({
  path: "/albums/:albumID",
  params: AlbumParams,
  query: None,
  response: Type.Object({ artist: Type.String(), title: Type.String(), year: Type.String() }),
  respond: ({ params }, sources) => ofAlbum(profiles, params.albumID, sources),
});

const albumImage = contentRoute({
  path: "/albums/:albumID/image",
  params: AlbumParams,
  respond: ({ albumID }, sources) => ofAlbum(images, albumID, sources),
});

const albumReviews = queryRoute({
  path: "/review/:albumID",
  params: AlbumParams,
  query: None,
  response: Type.Object({ likes: Type.Integer(), dislikes: Type.Integer() }),
  async respond({ params: { albumID } }, sources) {
    const { boards } = sources;
    const member = memberOf(parseAlbumId(albumID).eventId);
    const [likes, dislikes] = await Promise.all([boards.count("likes", member), boards.count("dislikes", member)]);
    // An album with reviews exists.
    if (likes + dislikes === 0) await ofAlbum(profiles, albumID, sources);
    return { likes, dislikes };
  },
});

const By = Type.Union([Type.Literal("likes"), Type.Literal("dislikes")], { expected: "likes or dislikes" });

const topAlbums = queryRoute({
  path: "/albums/top",
  params: Type.Object({}),
  query: Type.Object({ by: Type.Optional(By), limit: TopLimit }, { additionalProperties: false }),
  response: Type.Object({
    by: By,
    asOf: AsOf,
    albums: Type.Array(Type.Object({ albumID: Type.String(), count: Type.Integer() })),
  }),
  async respond({ query: { by = "likes", limit } }, { boards }) {
    const { asOf, entries } = await topOf(boards, by, limit, (member, count) => ({
      albumID: eventIdOfBytes(Buffer.from(member, "hex")),
      count,
    }));
    return { by, asOf, albums: entries };
  },
});

/** Profiles, images, reviews and the ranking. */
export const queries = [oneAlbum, albumImage, albumReviews, topAlbums];
