import { queryRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { AsOf, timeOf } from "../as-of.ts";
import { ids, TopLimitText, None, parseTopLimit } from "../request-values.ts";
import { matchesOf, swipesGiven } from "./matches.ts";
import { likesBoard } from "./rank.ts";

const matchesMax = 100;
const User = Type.Object({ userID: ids.Text });

const matches = queryRoute({
  path: "/matches/:userID",
  params: User,
  query: Type.Object(
    {
      mutual: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")], { expected: "true or false" })),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({ matchList: Type.Array(Type.String()) }),
  async respond({ params, query }, { rows }) {
    const userId = ids.parse("userID", params.userID);
    const found = await matchesOf(rows, userId, query.mutual === "true", matchesMax);
    return { matchList: found.map(String) };
  },
});

const stats = queryRoute({
  path: "/stats/:userID",
  params: User,
  query: None,
  // The misspelt key is the published specification's, and clients of either have theirs (contract, section 3).
  response: Type.Object({ numLlikes: Type.Integer(), numLikes: Type.Integer(), numDislikes: Type.Integer() }),
  async respond({ params }, { read }) {
    const { likes, dislikes } = await read(swipesGiven, [ids.parse("userID", params.userID)]);
    return { numLlikes: likes, numLikes: likes, numDislikes: dislikes };
  },
});

const top = queryRoute({
  path: "/swipes/top",
  params: None,
  query: Type.Object({ limit: Type.Optional(TopLimitText) }, { additionalProperties: false }),
  response: Type.Object({
    asOf: AsOf,
    users: Type.Array(Type.Object({ userID: Type.String(), likes: Type.Integer() })),
  }),
  async respond({ query }, { boards }) {
    const board = await boards.top(likesBoard, parseTopLimit(query.limit));
    // A batch that takes a like back may be ranked before the one that gave it.
    const liked = board.entries.filter(({ count }) => count > 0);
    return { asOf: timeOf(board), users: liked.map(({ member, count }) => ({ userID: member, likes: count })) };
  },
});

/** What can be asked about swipes: whom a user likes and how many, and who is liked most. */
export const queries = [matches, stats, top];
