import { queryRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { ids, None } from "../request-values.ts";
import { skiersOfDay } from "./rank.ts";
import { days, ResortText, seasonOfNone, seasons } from "./request-values.ts";
import { verticalOfDay, verticalOfResort, verticalOfSeason } from "./verticals.ts";

const Vertical = Type.Object({ resortID: Type.String(), totalVert: Type.Integer() });
const topSkiers = 10;

const dayWithoutSeason = queryRoute({
  path: "/skiers/:resortID/days/:dayID/skiers/:skierID",
  params: Type.Object({ resortID: ResortText, dayID: days.Text, skierID: ids.Text }),
  query: None,
  response: Vertical,
  async answer({ params: { resortID, dayID, skierID } }, { rows }) {
    const totalVert = await verticalOfDay(rows, {
      skierId: ids.parse("skierID", skierID),
      resort: resortID,
      season: seasonOfNone,
      day: days.parse("dayID", dayID),
    });
    return { resortID, totalVert };
  },
});

const dayOfSeason = queryRoute({
  path: "/skiers/:resortID/seasons/:seasonID/days/:dayID/skiers/:skierID",
  params: Type.Object({ resortID: ResortText, seasonID: seasons.Text, dayID: days.Text, skierID: ids.Text }),
  query: None,
  response: Type.Integer(),
  answer: ({ params: { resortID, seasonID, dayID, skierID } }, { rows }) =>
    verticalOfDay(rows, {
      skierId: ids.parse("skierID", skierID),
      resort: resortID,
      season: seasons.parse("seasonID", seasonID),
      day: days.parse("dayID", dayID),
    }),
});

const allDays = queryRoute({
  path: "/skiers/:skierID/vertical",
  params: Type.Object({ skierID: ids.Text }),
  query: Type.Object({ resort: ResortText, season: Type.Optional(seasons.Text) }, { additionalProperties: false }),
  response: Vertical,
  async answer({ params, query: { resort, season } }, { rows }) {
    const skier = { skierId: ids.parse("skierID", params.skierID), resort };
    const totalVert =
      season === undefined
        ? await verticalOfResort(rows, skier)
        : await verticalOfSeason(rows, { ...skier, season: seasons.parse("season", season) });
    return { resortID: resort, totalVert };
  },
});

const topOfDay = queryRoute({
  path: "/resort/day/top10vert",
  params: None,
  query: Type.Object(
    { resort: ResortText, dayID: days.Text, season: Type.Optional(seasons.Text) },
    { additionalProperties: false },
  ),
  // The misspelt key is the published specification's (contract, section 4).
  response: Type.Object({
    topTenSkiers: Type.Array(Type.Object({ skierID: Type.String(), VertcialTotal: Type.Integer() })),
  }),
  async answer({ query: { resort, dayID, season } }, { boards }) {
    const ofSeason = season === undefined ? seasonOfNone : seasons.parse("season", season);
    const { entries } = await boards.top(skiersOfDay(ofSeason, days.parse("dayID", dayID), resort), topSkiers);
    return { topTenSkiers: entries.map(({ member, count }) => ({ skierID: member, VertcialTotal: count })) };
  },
});

/** What can be asked about lift rides: a skier's vertical of a day, a season or all days, and who has most of a day. */
export const queries = [dayWithoutSeason, dayOfSeason, allDays, topOfDay];
