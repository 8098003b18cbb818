import { queryRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { ids, None } from "../request-values.ts";
import { AsOf, TopLimit, topOf } from "../top-of.ts";
import { stepsOfDay, stepsOfDays, stepsOfNewestDay } from "./day-sums.ts";
import { usersOfDay } from "./rank.ts";
import { days, spans } from "./request-values.ts";

const current = queryRoute({
  path: "/steps/current/:userID",
  pathUnderBase: "/current/:userID",
  params: Type.Object({ userID: ids.Text }),
  query: None,
  response: Type.Integer(),
  as: "text",
  respond: ({ params }, { read }) => read(stepsOfNewestDay, [ids.parse("userID", params.userID)]),
});

const single = queryRoute({
  path: "/steps/single/:userID/:day",
  pathUnderBase: "/single/:userID/:day",
  params: Type.Object({ userID: ids.Text, day: days.Text }),
  query: None,
  response: Type.Integer(),
  as: "text",
  respond: ({ params }, { read }) =>
    read(stepsOfDay, [ids.parse("userID", params.userID), days.parse("day", params.day)]),
});

const range = queryRoute({
  path: "/steps/range/:userID/:startDay/:numDays",
  pathUnderBase: "/range/:userID/:startDay/:numDays",
  params: Type.Object({ userID: ids.Text, startDay: days.Text, numDays: spans.Text }),
  query: None,
  response: Type.Array(Type.Integer()),
  async respond({ params: { userID, startDay, numDays } }, { rows }) {
    const userId = ids.parse("userID", userID);
    const firstDay = days.parse("startDay", startDay);
    return stepsOfDays(rows, userId, firstDay, spans.parse("numDays", numDays));
  },
});

const top = queryRoute({
  path: "/steps/top",
  params: None,
  query: Type.Object({ day: days.Text, limit: TopLimit }, { additionalProperties: false }),
  response: Type.Object({
    day: Type.Integer(),
    asOf: AsOf,
    users: Type.Array(Type.Object({ userID: Type.Integer(), steps: Type.Integer() })),
  }),
  async respond({ query }, { boards }) {
    const day = days.parse("day", query.day);
    const board = usersOfDay(day);
    const { asOf, entries } = await topOf(boards, board, query.limit, (id, steps) => ({ userID: Number(id), steps }));
    return { day, asOf, users: entries };
  },
});

/** Sums of a user's days, and the ranking of a day. */
export const queries = [current, single, range, top];
