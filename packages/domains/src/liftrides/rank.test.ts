import { Moves } from "@tally/pipeline";
import { expect, test } from "vitest";
import { liftRideEvent, type LiftRide } from "./event.ts";
import { rank } from "./rank.ts";

const batch = { producer: "0123456789abcdef", sequence: 0 };
const ride = (more: Partial<LiftRide>) => ({
  batch,
  event: liftRideEvent({ resort: "a", season: 0, day: 1, skierId: 1, minute: 1, liftId: 3, ...more }),
});

test("ten for each number of the lift, summed for each skier on the board of the day, the season and the resort", () => {
  const moves = new Moves();
  rank(
    [
      ride({}),
      ride({ minute: 2, liftId: 4 }),
      ride({ skierId: 2 }),
      ride({ day: 2 }),
      ride({ season: 2019 }),
      ride({ resort: "b:1" }),
    ],
    moves,
  );
  const boards = Object.fromEntries(
    [...moves.boards()].map(([board, members]) => [board, Object.fromEntries(members)]),
  );
  expect(boards).toEqual({
    "day:0:1:a": { "1": 70, "2": 30 },
    "day:0:2:a": { "1": 30 },
    "day:2019:1:a": { "1": 30 },
    "day:0:1:b:1": { "1": 30 },
  });
});
