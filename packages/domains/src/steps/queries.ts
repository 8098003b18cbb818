import { keyedRead, queryRoute, type View } from "@tally/contract";
import { Type } from "typebox";
import { closed, ids, wholeNumbers, AsOf, TopLimit, topOf } from "../values.ts";
import { usersOfDay } from "./rank.ts";
import { days } from "./routes.ts";

const spans = wholeNumbers(0, 10_000);

// For each key, each statement reads only a range of the covering index `user_day`: one entry for each post of the
// requested days. MAX(day) reads the last entry of a user's range if most users have long ranges. A user with far more
// entries than most is read completely: 2,000 entries in 0.4 ms.
const sumsOfNewestDays = `
  SELECT user_id, CAST(SUM(steps) AS UNSIGNED) AS steps
  FROM (SELECT user_id, MAX(day) AS day FROM steps WHERE user_id IN (?) GROUP BY user_id) newest JOIN steps USING (user_id, day)
  GROUP BY user_id`;
const sumsOfSingleDays = `
  SELECT user_id, day, CAST(SUM(steps) AS UNSIGNED) AS steps FROM steps
  WHERE (user_id, day) IN (?) GROUP BY user_id, day`;
const sumsOfDays = `
  SELECT day, CAST(SUM(steps) AS UNSIGNED) AS steps FROM steps
  WHERE user_id = ? AND day >= ? AND day < ? GROUP BY day`;

/** The sum of a row; 0 without one: a user without posts, or a day. */
function sumsBy<K extends readonly number[]>(select: string, key: { readonly [Part in keyof K]: "user_id" | "day" }) {
  type Row = Readonly<Record<"user_id" | "day" | "steps", number>>;
  return keyedRead<K, Row, number>({ select, key, keysMax: 500, ofRows: ([row]) => row?.steps ?? 0 });
}

const stepsOfNewestDay = sumsBy<readonly [userId: number]>(sumsOfNewestDays, ["user_id"]);
const stepsOfDay = sumsBy<readonly [userId: number, day: number]>(sumsOfSingleDays, ["user_id", "day"]);

const current = queryRoute({
  path: "/steps/current/:userID",
  pathUnderBase: "/current/:userID",
  summary: "the sum of the most recent day of a user; 0 if there is none",
  params: Type.Object({ userID: ids.Text }),
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
  response: Type.Array(Type.Integer()),
  async respond({ params: { userID, startDay, numDays } }, { rows }) {
    const userId = ids.parse("userID", userID);
    const firstDay = days.parse("startDay", startDay);
    const count = spans.parse("numDays", numDays);
    const found = await rows.query<{ day: number; steps: number }>(sumsOfDays, [userId, firstDay, firstDay + count]);
    const sums = new Map(found.map(({ day, steps }) => [day, steps]));
    return Array.from({ length: count }, (_, index) => sums.get(firstDay + index) ?? 0);
  },
  examples: { "three days": { params: { userID: "42", startDay: "1", numDays: "3" }, response: [4200, 0, 0] } },
});

const top = queryRoute({
  path: "/steps/top",
  summary: "the users with most steps on a day, 10 by default",
  query: closed({ day: days.Text, limit: TopLimit }),
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

export const queries = [current, single, range, top];

export const views: readonly View[] = [
  {
    name: "top-users",
    title: "Steps of a day",
    params: [{ name: "day", label: "Day", kind: "id", default: "1" }],
    path: "/steps/top?limit=10&day={day}",
    list: "users",
    member: { field: "userID", label: "User" },
    count: { field: "steps", label: "Steps" },
  },
];
