import { ingestRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { ids, None } from "../request-values.ts";
import { liftRideEvent } from "./event.ts";
import { days, lifts, minutes, Resort, ResortText, seasonOfNone, seasons } from "./request-values.ts";

// The id is made of the ride, so a scope makes no difference.
const scope = (): string => "liftrides";

const withoutSeason = ingestRoute({
  path: "/skiers/liftrides",
  summary: "one ride of season 0",
  params: None,
  body: Type.Object(
    { resortID: Resort, dayID: days.Value, skierID: ids.Value, time: minutes.Value, liftID: lifts.Value },
    { additionalProperties: false, expected: "an object with resortID, dayID, skierID, time and liftID" },
  ),
  scope,
  toEvent: (_id, _params, body) =>
    liftRideEvent({
      resort: String(body.resortID),
      season: seasonOfNone,
      day: days.parse("dayID", body.dayID),
      skierId: ids.parse("skierID", body.skierID),
      minute: minutes.parse("time", body.time),
      liftId: lifts.parse("liftID", body.liftID),
    }),
  status: 201,
  examples: {
    "a ride": { body: { resortID: "silverMt", dayID: "1", skierID: "2", time: "408", liftID: "27" } },
  },
});

const withSeason = ingestRoute({
  path: "/skiers/:resortID/seasons/:seasonID/days/:dayID/skiers/:skierID",
  summary: "one ride",
  params: Type.Object({ resortID: ResortText, seasonID: seasons.Text, dayID: days.Text, skierID: ids.Text }),
  body: Type.Object(
    { time: minutes.Value, liftID: lifts.Value },
    { additionalProperties: false, expected: "an object with time and liftID" },
  ),
  scope,
  toEvent: (_id, params, body) =>
    liftRideEvent({
      resort: params.resortID,
      season: seasons.parse("seasonID", params.seasonID),
      day: days.parse("dayID", params.dayID),
      skierId: ids.parse("skierID", params.skierID),
      minute: minutes.parse("time", body.time),
      liftId: lifts.parse("liftID", body.liftID),
    }),
  status: 201,
  examples: {
    "a ride": {
      params: { resortID: "silverMt", seasonID: "2026", dayID: "1", skierID: "2" },
      body: { time: 409, liftID: 12 },
    },
  },
});

/** New rides: the first and the second version of the contract. */
export const routes = [withoutSeason, withSeason];
