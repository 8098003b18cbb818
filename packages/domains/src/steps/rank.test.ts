import { expect, test } from "vitest";
import { boardsOf, changeOf } from "../boards-of.fixture.ts";
import { rank } from "./rank.ts";

test("adds up all steps of a user's day, also those of one hour", () => {
  const posts = [
    [1, 1, 8, 100],
    [1, 1, 8, 100],
    [1, 1, 9, 5],
    [2, 1, 8, 7],
    [1, 2, 0, 1],
  ] as const;
  const changes = posts.map(([userId, day, hour, steps]) => changeOf({ id: "", userId, day, hour, steps }));
  expect(boardsOf(rank, changes)).toEqual({ "day:1": { "1": 205, "2": 7 }, "day:2": { "1": 1 } });
});
