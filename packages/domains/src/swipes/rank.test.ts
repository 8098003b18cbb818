import { Moves } from "@tally/pipeline";
import { expect, test } from "vitest";
import { rank } from "./rank.ts";

const batch = { producer: "0123456789abcdef", sequence: 0 };
const change = (swipee: number, before: boolean | undefined, after: boolean) => ({
  batch,
  event: { id: "", swiper: 1, swipee, liked: after, at: 0, comment: "" },
  before,
  after,
});

test("a like counts, a dislike does not, a left after a right takes the like back, and a repetition is nothing", () => {
  const moves = new Moves();
  rank(
    [
      change(10, undefined, true),
      change(10, undefined, true),
      change(11, undefined, false),
      change(12, true, false),
      change(13, false, true),
      change(14, true, true),
      change(15, false, false),
    ],
    moves,
  );
  const boards = Object.fromEntries(
    [...moves.boards()].map(([board, members]) => [board, Object.fromEntries(members)]),
  );
  expect(boards).toEqual({ likes: { "10": 2, "12": -1, "13": 1 } });
});
