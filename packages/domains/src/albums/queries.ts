import { contentRoute, eventIdOfBytes, queryRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { AsOf, timeOf } from "../as-of.ts";
import { TopLimitText, None, parseTopLimit } from "../request-values.ts";
import { parseAlbumId } from "./album-id.ts";
import { images, ofAlbum, profiles } from "./lookups.ts";
import { memberOf } from "./rank.ts";
import { AlbumParams } from "./request-params.ts";

const oneAlbum = queryRoute({
  path: "/albums/:albumID",
  params: AlbumParams,
  query: None,
  response: Type.Object({ artist: Type.String(), title: Type.String(), year: Type.String() }),
  respond: ({ params }, sources) => ofAlbum(profiles, params.albumID, sources),
});

const itsImage = contentRoute({
  path: "/albums/:albumID/image",
  params: AlbumParams,
  respond: ({ albumID }, sources) => ofAlbum(images, albumID, sources),
});

const itsReviews = queryRoute({
  path: "/review/:albumID",
  params: AlbumParams,
  query: None,
  response: Type.Object({ likes: Type.Integer(), dislikes: Type.Integer() }),
  async respond({ params: { albumID } }, sources) {
    const { boards } = sources;
    const member = memberOf(parseAlbumId(albumID).eventId);
    const [likes, dislikes] = await Promise.all([boards.count("likes", member), boards.count("dislikes", member)]);
    // What has reviews is there.
    if (likes + dislikes === 0) await ofAlbum(profiles, albumID, sources);
    return { likes, dislikes };
  },
});

const By = Type.Union([Type.Literal("likes"), Type.Literal("dislikes")], { expected: "likes or dislikes" });

const topAlbums = queryRoute({
  path: "/albums/top",
  params: Type.Object({}),
  query: Type.Object({ by: Type.Optional(By), limit: Type.Optional(TopLimitText) }, { additionalProperties: false }),
  response: Type.Object({
    by: By,
    asOf: AsOf,
    albums: Type.Array(Type.Object({ albumID: Type.String(), count: Type.Integer() })),
  }),
  async respond({ query: { by = "likes", limit } }, { boards }) {
    const top = await boards.top(by, parseTopLimit(limit));
    const albums = top.entries.map(({ member, count }) => ({ albumID: albumOf(member), count }));
    return { by, asOf: timeOf(top), albums };
  },
});

/** What can be asked about albums. */
export const queries = [oneAlbum, itsImage, itsReviews, topAlbums];

function albumOf(member: string): string {
  return eventIdOfBytes(Buffer.from(member, "hex"));
}
