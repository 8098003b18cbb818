import { expect, test } from "vitest";
import { boardsOf, changeOf } from "../boards-of.fixture.ts";
import { liftRideEvent, type LiftRide } from "./event.ts";
import { rank } from "./rank.ts";

const ride = (fields: Partial<LiftRide>) =>
  changeOf(liftRideEvent({ resort: "a", season: 0, day: 1, skierId: 1, minute: 1, liftId: 3, ...fields }));

test("counts ten times the lift's number for the skier on the board of the day, the season and the resort", () => {
  const changes = [
    ride({}),
    ride({ minute: 2, liftId: 4 }),
    ride({ skierId: 2 }),
    ride({ day: 2 }),
    ride({ season: 2019 }),
    ride({ resort: "b:1" }),
  ];
  expect(boardsOf(rank, changes)).toEqual({
    "day:0:1:a": { "1": 70, "2": 30 },
    "day:0:2:a": { "1": 30 },
    "day:2019:1:a": { "1": 30 },
    "day:0:1:b:1": { "1": 30 },
  });
});
