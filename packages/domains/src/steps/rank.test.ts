import { Moves } from "@tally/pipeline";
import { expect, test } from "vitest";
import { rank } from "./rank.ts";

const batch = { producer: "0123456789abcdef", sequence: 0 };
const steps = (userId: number, day: number, hour: number, count: number) => ({
  batch,
  event: { id: "", userId, day, hour, steps: count },
});

test("all steps of a user's day add up, those of one hour too", () => {
  const moves = new Moves();
  rank([steps(1, 1, 8, 100), steps(1, 1, 8, 100), steps(1, 1, 9, 5), steps(2, 1, 8, 7), steps(1, 2, 0, 1)], moves);
  const boards = Object.fromEntries(
    [...moves.boards()].map(([board, members]) => [board, Object.fromEntries(members)]),
  );
  expect(boards).toEqual({ "day:1": { "1": 205, "2": 7 }, "day:2": { "1": 1 } });
});
