import { keyedRead, queryRoute, type View } from "@tally/contract";
import { Type } from "typebox";
import { closed, ids, AsOf, TopLimit, topOf } from "../values.ts";
import { likesBoard } from "./rank.ts";

// Both read the primary key in its order, up to the limit.
const selectLiked = "SELECT swipee FROM swipe_pairs WHERE swiper = ? AND liked = 1 ORDER BY swipee LIMIT ?";
const selectMutual = `
  SELECT own.swipee FROM swipe_pairs own JOIN swipe_pairs theirs ON theirs.swiper = own.swipee AND theirs.swipee = own.swiper
  WHERE own.swiper = ? AND own.liked = 1 AND theirs.liked = 1 ORDER BY own.swipee LIMIT ?`;
const countGiven = `
  SELECT swiper, COUNT(*) AS swipes, CAST(SUM(liked) AS UNSIGNED) AS likes FROM swipe_pairs
  WHERE swiper IN (?) GROUP BY swiper`;

/** By user: how many users a user likes and dislikes now. Reads one index entry for each of them. */
const swipesGiven = keyedRead({
  select: countGiven,
  key: ["swiper"],
  keysMax: 100,
  ofRows: ([row]: readonly { readonly swiper: number; readonly swipes: number; readonly likes: number }[]) => ({
    likes: row?.likes ?? 0,
    dislikes: (row?.swipes ?? 0) - (row?.likes ?? 0),
  }),
});

const User = Type.Object({ userID: ids.Text });

const matches = queryRoute({
  path: "/matches/:userID",
  summary: "the users whom a user likes, at most 100, the smallest ids first",
  description: "With `mutual=true` only those who like the user too",
  params: User,
  query: closed({
    mutual: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")], { expected: "true or false" })),
  }),
  response: Type.Object({ matchList: Type.Array(Type.String()) }),
  async respond({ params, query }, { rows }) {
    const select = query.mutual === "true" ? selectMutual : selectLiked;
    const found = await rows.query<{ swipee: number }>(select, [ids.parse("userID", params.userID), 100]);
    return { matchList: found.map(({ swipee }) => String(swipee)) };
  },
  examples: {
    "all likes": { params: { userID: "3" }, response: { matchList: ["4"] } },
    "mutual likes": { params: { userID: "4" }, query: { mutual: "true" }, response: { matchList: ["3"] } },
  },
});

const stats = queryRoute({
  path: "/stats/:userID",
  summary: "how many users a user likes and dislikes",
  params: User,
  // The published specification misspells the key: both spellings for both kinds of clients.
  response: Type.Object({ numLlikes: Type.Integer(), numLikes: Type.Integer(), numDislikes: Type.Integer() }),
  async respond({ params }, { read }) {
    const { likes, dislikes } = await read(swipesGiven, [ids.parse("userID", params.userID)]);
    return { numLlikes: likes, numLikes: likes, numDislikes: dislikes };
  },
  examples: { "a user": { params: { userID: "3" }, response: { numLlikes: 1, numLikes: 1, numDislikes: 1 } } },
});

const top = queryRoute({
  path: "/swipes/top",
  summary: "the most liked users, 10 by default",
  query: closed({ limit: TopLimit }),
  response: Type.Object({
    asOf: AsOf,
    users: Type.Array(Type.Object({ userID: Type.String(), likes: Type.Integer() })),
  }),
  async respond({ query }, { boards }) {
    const { asOf, entries } = await topOf(boards, likesBoard, query.limit, (userID, likes) => ({ userID, likes }));
    // A count below 1 is temporary: a batch that removes a like may be ranked before the batch that added it.
    return { asOf, users: entries.filter(({ likes }) => likes > 0) };
  },
  examples: {
    "most liked": {
      query: { limit: "10" },
      response: {
        asOf: "2026-11-20T17:04:09.512Z",
        users: [
          { userID: "3", likes: 1 },
          { userID: "4", likes: 1 },
        ],
      },
    },
  },
});

export const queries = [matches, stats, top];

export const views: readonly View[] = [
  {
    name: "top-users",
    title: "Most liked users",
    params: [],
    path: "/swipes/top?limit=10",
    list: "users",
    member: { field: "userID", label: "User" },
    count: { field: "likes", label: "Likes" },
  },
];
