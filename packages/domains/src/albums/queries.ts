import { contentRoute, eventIdOfBytes, queryRoute, type View } from "@tally/contract";
import { Type } from "typebox";
import { closed, AsOf, TopLimit, topOf } from "../values.ts";
import { AlbumParams, images, ofAlbum, parseAlbumId, profiles } from "./album-lookup.ts";
import { ImageType } from "./image.ts";
import { memberOf } from "./rank.ts";
import { exampleAlbum } from "./routes.ts";

const oneAlbum = queryRoute({
  path: "/albums/:albumID",
  summary: "the profile of an album",
  description: "All values are texts",
  params: AlbumParams,
  response: Type.Object({ artist: Type.String(), title: Type.String(), year: Type.String() }),
  respond: ({ params }, sources) => ofAlbum(profiles, params.albumID, sources),
  finds: true,
  examples: {
    "an album": {
      params: { albumID: exampleAlbum },
      response: { artist: "The Tills", title: "Receipts", year: "2026" },
    },
  },
});

const albumImage = contentRoute({
  path: "/albums/:albumID/image",
  summary: "the picture of an album, with the type that its bytes show",
  params: AlbumParams,
  types: ImageType.enum,
  respond: ({ albumID }, sources) => ofAlbum(images, albumID, sources),
  finds: true,
  examples: { "a picture": { params: { albumID: exampleAlbum } } },
});

const albumReviews = queryRoute({
  path: "/review/:albumID",
  summary: "the number of reviews of an album",
  params: AlbumParams,
  response: Type.Object({ likes: Type.Integer(), dislikes: Type.Integer() }),
  async respond({ params: { albumID } }, sources) {
    const { boards } = sources;
    const member = memberOf(parseAlbumId(albumID).eventId);
    const [likes, dislikes] = await Promise.all([boards.count("likes", member), boards.count("dislikes", member)]);
    // An album with reviews exists.
    if (likes + dislikes === 0) await ofAlbum(profiles, albumID, sources);
    return { likes, dislikes };
  },
  finds: true,
  examples: { "one like": { params: { albumID: exampleAlbum }, response: { likes: 1, dislikes: 0 } } },
});

const By = Type.Union([Type.Literal("likes"), Type.Literal("dislikes")], { expected: "likes or dislikes" });

const topAlbums = queryRoute({
  path: "/albums/top",
  summary: "the albums with most `likes` (default) or `dislikes`, 10 by default",
  query: closed({ by: Type.Optional(By), limit: TopLimit }),
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
  examples: {
    "most liked": {
      query: { by: "likes", limit: "10" },
      response: { by: "likes", asOf: "2026-11-20T17:04:09.512Z", albums: [{ albumID: exampleAlbum, count: 1 }] },
    },
  },
});

export const queries = [oneAlbum, albumImage, albumReviews, topAlbums];

export const views: readonly View[] = [
  {
    name: "top-albums",
    title: "Top albums",
    params: [{ name: "by", label: "By", kind: "choice", default: "likes", choices: ["likes", "dislikes"] }],
    path: "/albums/top?limit=10&by={by}",
    list: "albums",
    member: { field: "albumID", label: "Album" },
    count: { field: "count", label: "Reviews" },
    image: "/albums/{albumID}/image",
  },
];
