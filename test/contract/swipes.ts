import { expect } from "vitest";
import {
  asks,
  created,
  get,
  inTurn,
  json,
  keyed,
  ok,
  post,
  stores,
  type HttpCase,
  type Read,
} from "../http/http-case.ts";
import { swipe, swipeBody } from "../http/sample-requests.ts";

type Side = "left" | "right";
const swiped = (swiper: number, side: Side, swipee: number, headers?: readonly string[]): Buffer =>
  post(`/swipe/${side}`, JSON.stringify({ swiper: String(swiper), swipee: String(swipee), comment: "hello" }), headers);
const row = (swiper: number, side: Side, swipee: number) => swipe(swiper, { swipee, liked: side === "right" });
/** A user that no other case has. */
const other = (n: number, index: number): number => 1000 * n + index;

const stats = (user: number | string, likes: number, numDislikes: number): Read => [
  `/stats/${user}`,
  { numLlikes: likes, numLikes: likes, numDislikes },
];
const matches = (user: number, users: readonly number[], query = ""): Read => [
  `/matches/${user}${query}`,
  { matchList: users.map(String) },
];

/** A case of swipes, one after the other; `more` are those that are not stored as new events. */
const swipesInTurn = (
  name: string,
  all: (n: number) => readonly (readonly [swiper: number, side: Side, swipee: number])[],
  reads: (n: number) => readonly Read[],
): HttpCase =>
  stores(
    name,
    (n) => inTurn(...all(n).map((one) => swiped(...one))),
    all(0).map(() => created),
    (n) => all(n).map((one) => row(...one)),
    { reads },
  );

const variants: readonly (readonly [name: string, body: (n: number) => string])[] = [
  ["numbers for texts", (n) => `{"swiper":${n},"swipee":2,"comment":"hello"}`],
  ["leading zeros", (n) => `{"swiper":"0${n}","swipee":"002","comment":"hello"}`],
];

/** POST /swipe, GET /matches and /stats. */
export const swipes: readonly HttpCase[] = [
  ...variants.map(([name, body]) =>
    stores(`${name}: the same swipe`, (n) => post("/swipe/left", body(n)), created, swipe),
  ),
  stores("no Content-Type is JSON", (n) => post("/swipe/left", swipeBody(n), []), created, swipe),
  stores(
    "no comment",
    (n) => post("/swipe/left", `{"swiper":${n},"swipee":2}`),
    created,
    (n) => swipe(n, { comment: "" }),
  ),
  swipesInTurn(
    "a user may swipe themself, and the largest id",
    (n) => [
      [n, "left", n],
      [n, "right", Number.MAX_SAFE_INTEGER],
    ],
    (n) => [stats(`0${n}/`, 1, 1), stats(`/${n}`, 1, 1), [`/shop_war/stats/${n}`, stats(n, 1, 1)[1]]],
  ),
  swipesInTurn(
    "matches: the users that a user likes, at most 100, the smallest ids first; not the disliked ones",
    (n) => [
      ...Array.from({ length: 105 }, (_, index) => [n, "right", other(n, 1 + index)] as const),
      [n, "left", other(n, 0)],
    ],
    (n) => [
      stats(n, 105, 1),
      matches(
        n,
        Array.from({ length: 100 }, (_, index) => other(n, 1 + index)),
      ),
    ],
  ),
  swipesInTurn(
    "mutual matches: only users who like the user too",
    (n) => [
      ...[1, 2, 3].map((index) => [n, "right", other(n, index)] as const),
      [n, "left", other(n, 4)],
      [other(n, 1), "right", n],
      [other(n, 2), "left", n],
      [other(n, 4), "right", n],
      [other(n, 5), "right", n],
    ],
    (n) => [
      matches(n, [other(n, 1), other(n, 2), other(n, 3)]),
      matches(n, [other(n, 1), other(n, 2), other(n, 3)], "?mutual=false"),
      matches(n, [other(n, 1)], "?mutual=true"),
      matches(other(n, 5), [], "?mutual=true"),
    ],
  ),
  asks("an unknown user has no matches", () => get("/matches/999999999", [json]), ok(200, '{"matchList":[]}')),
  asks(
    "an unknown user has no swipes",
    () => get("/stats/999999999", [json, "Content-Length: 0"]),
    ok(200, '{"numLlikes":0,"numLikes":0,"numDislikes":0}'),
  ),
  ...(
    [
      ["right, left: the like is taken back", ["right", "left"], 0],
      ["left, right: it counts", ["left", "right"], 1],
      ["right, left, right: it counts once", ["right", "left", "right"], 1],
      ["right, right: it counts once", ["right", "right"], 1],
    ] as const
  ).map(([name, sides, likes]) =>
    swipesInTurn(
      `a swipe of the same person again changes the earlier swipe: ${name}`,
      (n) => sides.map((side) => [n, side, other(n, 1)]),
      (n) => [stats(n, likes, 1 - likes), matches(n, likes === 1 ? [other(n, 1)] : [])],
    ),
  ),
  stores(
    "an Idempotency-Key is one swipe of its swiper: sent again after a newer swipe it changes nothing",
    (n) =>
      inTurn(
        swiped(n, "right", other(n, 1), keyed("first")),
        swiped(n, "left", other(n, 1)),
        swiped(n, "right", other(n, 1), keyed("first")),
        swiped(n + 500_000, "right", other(n, 2), keyed("first")),
      ),
    [created, created, created, created],
    (n) => [
      row(n, "right", other(n, 1)),
      row(n, "left", other(n, 1)),
      row(n, "right", other(n, 1)),
      row(n + 500_000, "right", other(n, 2)),
    ],
    { reads: (n) => [stats(n, 0, 1), stats(n + 500_000, 1, 0)] },
  ),
  swipesInTurn(
    "the most liked users: most likes first, ties by the smaller id",
    (n) =>
      (
        [
          [3, 5],
          [2, 6],
          [1, 5],
        ] as const
      ).flatMap(([index, likes]) =>
        Array.from({ length: likes }, (_, liker) => [other(n, 10 + liker), "right", other(n, index)] as const),
      ),
    (n) => [
      [
        "/swipes/top?limit=100",
        ({ asOf, users }: { asOf: string; users: readonly { userID: string; likes: number }[] }) => {
          expect(asOf).toMatch(/^20/);
          const own = users.filter(({ userID }) => Math.floor(Number(userID) / 1000) === n);
          expect(own.map(({ userID, likes }) => [Number(userID) - 1000 * n, likes])).toEqual([
            [2, 6],
            [1, 5],
            [3, 5],
          ]);
        },
      ],
    ],
  ),
];
