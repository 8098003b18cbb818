import { queryRoute } from "@tally/contract";
import { Type } from "typebox";
import { ids, None } from "../request-values.ts";
import { AsOf, TopLimit, topOf } from "../top-of.ts";
import { stepsOfDay, stepsOfDays, stepsOfNewestDay } from "./day-sums.ts";
import { usersOfDay } from "./rank.ts";
import { days, spans } from "./request-values.ts";

const current = queryRoute({
  path: "/steps/current/:userID",
  pathUnderBase: "/current/:userID",
  summary: "the sum of the most recent day of a user; 0 if there is none",
  params: Type.Object({ userID: ids.Text }),
  query: None,
  response: Type.Integer(),
  as: "text",
  respond: ({ params }, { read }) => read(stepsOfNewestDay, [ids.parse("userID", params.userID)]),
  examples: { "a user": { params: { userID: "42" }, response: 4200 } },
});

const single = queryRoute({
  path: "/steps/single/:userID/:day",
  pathUnderBase: "/single/:userID/:day",
  summary: "the sum of a day",
  params: Type.Object({ userID: ids.Text, day: days.Text }),
  query: None,
  response: Type.Integer(),
  as: "text",
  respond: ({ params }, { read }) =>
    read(stepsOfDay, [ids.parse("userID", params.userID), days.parse("day", params.day)]),
  examples: { "a day": { params: { userID: "42", day: "1" }, response: 4200 } },
});

const range = queryRoute({
  path: "/steps/range/:userID/:startDay/:numDays",
  pathUnderBase: "/range/:userID/:startDay/:numDays",
  summary: "the sums of days in a row; 0 for a day without steps",
  params: Type.Object({ userID: ids.Text, startDay: days.Text, numDays: spans.Text }),
  query: None,
  response: Type.Array(Type.Integer()),
  async respond({ params: { userID, startDay, numDays } }, { rows }) {
    const userId = ids.parse("userID", userID);
    const firstDay = days.parse("startDay", startDay);
    return stepsOfDays(rows, userId, firstDay, spans.parse("numDays", numDays));
  },
  examples: {
    "three days": { params: { userID: "42", startDay: "1", numDays: "3" }, response: [4200, 0, 0] },
  },
});

const top = queryRoute({
  path: "/steps/top",
  summary: "the users with most steps on a day, 10 by default",
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
  examples: {
    "a day": {
      query: { day: "1", limit: "10" },
      response: { day: 1, asOf: "2026-11-20T17:04:09.512Z", users: [{ userID: 42, steps: 4200 }] },
    },
  },
});

/** Sums of a user's days, and the ranking of a day. */
export const queries = [current, single, range, top];
