import { ingestRoute, type EventFiles } from "@tally/contract";
import { Type, type TString } from "typebox";
import { closed, ids, None, numberFilter, wholeNumbers } from "../values.ts";
import { liftIdMax, liftRideEvent, type LiftRideEvent } from "./event.ts";
import { store } from "./store.ts";

/** Seasons and days; the columns have two bytes. */
export const seasons = wholeNumbers(0, 65_535);
export const days = wholeNumbers(0, 65_535);
const minutes = wholeNumbers(0, 1440);
const lifts = wholeNumbers(0, liftIdMax);

/** The season of rides and queries without one: the first version of the contract has no seasons. */
export const seasonOfNone = 0;

/** A resort in a path or a query. No space at its ends: the database treats it as the same name without the space. */
export const ResortText: TString = Type.String({
  pattern: String.raw`^[^\s\p{C}]([^\p{C}]{0,62}[^\s\p{C}])?$`,
  expected: "a resort of 1 to 64 printable characters",
});

const Resort = Type.Union([ResortText, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })], {
  expected: "a resort of 1 to 64 printable characters",
});

const scopeOf = (skierID: string | number): string => `liftrides/${Number(skierID)}`;
// Other than the scope that liftRideEvent hashes: no key leads to the id of a skier's ride.
const scopeOfUnknown = "liftrides without skier";

const withoutSeason = ingestRoute({
  path: "/skiers/liftrides",
  summary: "one ride of season 0",
  description:
    "Without `skierID` it is a ride of an unknown skier, which counts in no vertical and no ranking; each request is a new ride unless it " +
    "repeats an `Idempotency-Key`",
  params: None,
  body: closed(
    {
      resortID: Resort,
      dayID: days.Value,
      // The source's first client sends none.
      skierID: Type.Optional(ids.Value),
      time: minutes.Value,
      liftID: lifts.Value,
    },
    { expected: "an object with resortID, dayID, time and liftID, and skierID if it is known" },
  ),
  scope: (_params, { skierID }) => (skierID === undefined ? scopeOfUnknown : scopeOf(skierID)),
  toEvent(id, _params, { skierID, ...body }): LiftRideEvent {
    const ride = {
      resort: String(body.resortID),
      season: seasonOfNone,
      day: days.parse("dayID", body.dayID),
      minute: minutes.parse("time", body.time),
      liftId: lifts.parse("liftID", body.liftID),
    };
    // Two skiers may share a lift in one minute: a new event, unless its request repeats an Idempotency-Key.
    if (skierID === undefined) return { id, ...ride, skierId: null };
    return liftRideEvent({ ...ride, skierId: ids.parse("skierID", skierID) });
  },
  status: 201,
  examples: {
    "a ride": { body: { resortID: "silverMt", dayID: "1", skierID: "2", time: "408", liftID: "27" } },
    "a ride of an unknown skier": {
      body: { resortID: "silverMt", dayID: "1", time: "408", liftID: "27" },
      idempotencyKey: "lift-27-000001",
    },
  },
});

const withSeason = ingestRoute({
  path: "/skiers/:resortID/seasons/:seasonID/days/:dayID/skiers/:skierID",
  summary: "one ride",
  params: Type.Object({ resortID: ResortText, seasonID: seasons.Text, dayID: days.Text, skierID: ids.Text }),
  body: closed({ time: minutes.Value, liftID: lifts.Value }, { expected: "an object with time and liftID" }),
  scope: ({ skierID }) => scopeOf(skierID),
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

export const routes = [withoutSeason, withSeason];

export const files: EventFiles<LiftRideEvent> = {
  rows: store,
  fields: {
    resortID: ({ resort }) => resort,
    // A ride of an unknown skier has no seasonID: only the POST without one takes it.
    seasonID: ({ skierId, season }) => (skierId === null ? undefined : season),
    dayID: ({ day }) => day,
    skierID: ({ skierId }) => skierId,
    time: ({ minute }) => minute,
    liftID: ({ liftId }) => liftId,
  },
  requiredColumns: ["skierID"],
  order: "id",
  filters: { date: numberFilter("day = ?", "--date", days) },
};
