import { keyedRead, queryRoute, type ReadKey, type View } from "@tally/contract";
import { Type } from "typebox";
import { closed, ids } from "../values.ts";
import { skiersOfDay } from "./rank.ts";
import { days, ResortText, seasonOfNone, seasons } from "./routes.ts";

interface Sum {
  readonly skier_id: number;
  readonly resort: string;
  readonly season: number;
  readonly day: number;
  readonly vertical: number;
}

/** The vertical of the rides with these values; 0 without rides. Reads a range of the covering index `skier`. */
function verticalBy<K extends ReadKey>(...key: { readonly [Part in keyof K]: keyof Sum }) {
  const columns = key.join(", ");
  const select = `
    SELECT ${columns}, CAST(SUM(vertical) AS UNSIGNED) AS vertical FROM lift_rides
    WHERE (${columns}) IN (?) GROUP BY ${columns}`;
  return keyedRead<K, Sum, number>({ select, key, keysMax: 500, ofRows: ([row]) => row?.vertical ?? 0 });
}

type SkierAtResort = readonly [skierId: number, resort: string];

const verticalOfResort = verticalBy<SkierAtResort>("skier_id", "resort");
const verticalOfSeason = verticalBy<readonly [...SkierAtResort, season: number]>("skier_id", "resort", "season");
const verticalOfDay = verticalBy<readonly [...SkierAtResort, season: number, day: number]>(
  "skier_id",
  "resort",
  "season",
  "day",
);

const Vertical = Type.Object({ resortID: Type.String(), totalVert: Type.Integer() });

const dayWithoutSeason = queryRoute({
  path: "/skiers/:resortID/days/:dayID/skiers/:skierID",
  summary: "the vertical of a skier on a day of season 0",
  params: Type.Object({ resortID: ResortText, dayID: days.Text, skierID: ids.Text }),
  response: Vertical,
  async respond({ params: { resortID, dayID, skierID } }, { read }) {
    const skierId = ids.parse("skierID", skierID);
    const totalVert = await read(verticalOfDay, [skierId, resortID, seasonOfNone, days.parse("dayID", dayID)]);
    return { resortID, totalVert };
  },
  examples: {
    "a day": {
      params: { resortID: "silverMt", dayID: "1", skierID: "2" },
      response: { resortID: "silverMt", totalVert: 270 },
    },
  },
});

const dayOfSeason = queryRoute({
  path: "/skiers/:resortID/seasons/:seasonID/days/:dayID/skiers/:skierID",
  summary: "the vertical of a skier on a day",
  params: Type.Object({ resortID: ResortText, seasonID: seasons.Text, dayID: days.Text, skierID: ids.Text }),
  response: Type.Integer(),
  respond: ({ params: { resortID, seasonID, dayID, skierID } }, { read }) =>
    read(verticalOfDay, [
      ids.parse("skierID", skierID),
      resortID,
      seasons.parse("seasonID", seasonID),
      days.parse("dayID", dayID),
    ]),
  examples: {
    "a day": { params: { resortID: "silverMt", seasonID: "2026", dayID: "1", skierID: "2" }, response: 120 },
  },
});

const allDays = queryRoute({
  path: "/skiers/:skierID/vertical",
  summary: "the vertical of a skier on all days of all seasons, or of one",
  params: Type.Object({ skierID: ids.Text }),
  query: closed({ resort: ResortText, season: Type.Optional(seasons.Text) }),
  response: Vertical,
  async respond({ params, query: { resort, season } }, { read }) {
    const skierId = ids.parse("skierID", params.skierID);
    const totalVert =
      season === undefined
        ? await read(verticalOfResort, [skierId, resort])
        : await read(verticalOfSeason, [skierId, resort, seasons.parse("season", season)]);
    return { resortID: resort, totalVert };
  },
  examples: {
    "all seasons": {
      params: { skierID: "2" },
      query: { resort: "silverMt" },
      response: { resortID: "silverMt", totalVert: 390 },
    },
    "one season": {
      params: { skierID: "2" },
      query: { resort: "silverMt", season: "2026" },
      response: { resortID: "silverMt", totalVert: 120 },
    },
  },
});

const topOfDay = queryRoute({
  path: "/resort/day/top10vert",
  summary: "the 10 skiers with most vertical on a day of season 0, or of another season",
  query: closed({ resort: ResortText, dayID: days.Text, season: Type.Optional(seasons.Text) }),
  // The published specification misspells the key.
  response: Type.Object({
    topTenSkiers: Type.Array(Type.Object({ skierID: Type.String(), VertcialTotal: Type.Integer() })),
  }),
  async respond({ query: { resort, dayID, season } }, { boards }) {
    const ofSeason = season === undefined ? seasonOfNone : seasons.parse("season", season);
    const { entries } = await boards.top(skiersOfDay(ofSeason, days.parse("dayID", dayID), resort), 10);
    return { topTenSkiers: entries.map(({ member, count }) => ({ skierID: member, VertcialTotal: count })) };
  },
  examples: {
    "a day": {
      query: { resort: "silverMt", dayID: "1" },
      response: { topTenSkiers: [{ skierID: "2", VertcialTotal: 270 }] },
    },
  },
});

export const queries = [dayWithoutSeason, dayOfSeason, allDays, topOfDay];

export const views: readonly View[] = [
  {
    name: "top-skiers",
    title: "Top skiers of a day",
    params: [
      { name: "resort", label: "Resort", kind: "text", default: "silverMt" },
      { name: "dayID", label: "Day", kind: "id", default: "1" },
      { name: "season", label: "Season", kind: "id" },
    ],
    path: "/resort/day/top10vert?resort={resort}&dayID={dayID}&season={season}",
    list: "topTenSkiers",
    member: { field: "skierID", label: "Skier" },
    // The published specification misspells it.
    count: { field: "VertcialTotal", label: "Vertical" },
  },
];
