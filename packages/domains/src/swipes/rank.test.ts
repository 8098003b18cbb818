import { expect, test } from "vitest";
import { boardsOf, changeOf } from "../boards-of.fixture.ts";
import { rank } from "./rank.ts";

const change = (swipee: number, before: boolean | undefined, after: boolean) => ({
  ...changeOf({ id: "", swiper: 1, swipee, liked: after, at: 0, comment: "" }),
  before,
  after,
});

test("counts a like and no dislike, removes a like that becomes a dislike, and ignores a repetition", () => {
  const changes = [
    change(10, undefined, true),
    change(10, undefined, true),
    change(11, undefined, false),
    change(12, true, false),
    change(13, false, true),
    change(14, true, true),
    change(15, false, false),
  ];
  expect(boardsOf(rank, changes)).toEqual({ likes: { "10": 2, "12": -1, "13": 1 } });
});
