import { expect } from "vitest";
import { asks, created, inTurn, ok, stores, type HttpCase, type Read } from "../http/cases.ts";
import { get, json, keyed, post, upgrade } from "../http/requests.ts";
import { ride, swipe } from "../http/stored.ts";

type Side = "left" | "right";
const swiped = (swiper: number, side: Side, swipee: number, headers?: readonly string[]): Buffer =>
  post(`/swipe/${side}`, JSON.stringify({ swiper: String(swiper), swipee: String(swipee), comment: "hello" }), headers);
const rowOf = (swiper: number, side: Side, swipee: number) =>
  swipe(swiper, { swipee, liked: side === "right" ? 1 : 0 });
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
    (n) => all(n).map((one) => rowOf(...one)),
    reads,
  );

export const swipes: readonly HttpCase[] = [
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
      rowOf(n, "right", other(n, 1)),
      rowOf(n, "left", other(n, 1)),
      rowOf(n, "right", other(n, 1)),
      rowOf(n + 500_000, "right", other(n, 2)),
    ],
    (n) => [stats(n, 0, 1), stats(n + 500_000, 1, 0)],
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

const rides = "/skiers/liftrides";
const printable = "Zürich: Üetliberg 🎿";
const bodyOf = (n: number, more: object = {}): string =>
  JSON.stringify({ resortID: `resort ${n}`, dayID: "1", skierID: "2", time: "408", liftID: "27", ...more });
const row = (n: number, more: Parameters<typeof ride>[1] = {}) => ride(2, { resort: `resort ${n}`, ...more });
const path = (text: string, n: number): string => text.replaceAll(/\bR\b/g, `resort%20${n}`);
const total = (n: number, totalVert: number): object => ({ resortID: `resort ${n}`, totalVert });
const top = (...skiers: readonly (readonly [skierID: number, vertical: number])[]): object => ({
  topTenSkiers: skiers.map(([skierID, VertcialTotal]) => ({ skierID: String(skierID), VertcialTotal })),
});
const topOf = (n: number): string => path("/resort/day/top10vert?resort=R&dayID=1", n);

// Each is the same ride as the ones above.
const sames: readonly ((n: number) => Buffer)[] = [
  (n) => post(rides, bodyOf(n)),
  (n) => post(`${rides}/`, bodyOf(n)),
  (n) => post("//skiers//liftrides", bodyOf(n)),
  (n) => post(`/shop_war${rides}`, bodyOf(n)),
  (n) => post(rides, bodyOf(n), []),
  (n) => post(rides, bodyOf(n), [json, ...upgrade]),
  (n) => post(rides, bodyOf(n, { dayID: 1, skierID: 2, time: 408, liftID: 27 })),
  (n) => post(rides, bodyOf(n, { skierID: "002" })),
  (n) => post(path("/skiers/R/seasons/0/days/1/skiers/2", n), '{"time":408,"liftID":27}'),
  (n) => post(path("/shop_war/skiers/R/seasons/00/days/01/skiers/2/", n), '{"time":"408","liftID":"27"}', upgrade),
  (n) => post(rides, bodyOf(n), keyed(`a${n}`)),
  (n) => post(rides, bodyOf(n), keyed(`b${n}`)),
];

const seasons = [
  [0, 1, 30, 1, 5],
  [0, 1, 30, 2, 7],
  [0, 2, 30, 1, 11],
  [2019, 1, 30, 1, 13],
  [2019, 3, 30, 1, 17],
  [2019, 3, 31, 0, 39],
  [2019, 3, 31, 1440, 0],
] as const;

// Two of the most, then by lift.
const skiers = Array.from({ length: 12 }, (_, index) => [9 * (index + 1), index < 2 ? 50 : index + 1] as const);

export const liftRides: readonly HttpCase[] = [
  stores(
    "the same resort, season, day, skier, time and lift is one ride, in every form; another lift or minute is another",
    (n) =>
      inTurn(
        ...sames.map((send) => send(n)),
        post(rides, bodyOf(n, { liftID: 1 })),
        post(rides, bodyOf(n, { time: 409 })),
      ),
    [...sames.map(() => created), created, created],
    (n) => [...sames.map(() => row(n)), row(n, { lift: 1 }), row(n, { minute: 409 })],
    (n) => [
      [topOf(n), top([2, 550])],
      [path("/skiers/2/vertical?resort=R", n), total(n, 550)],
      [path("/skiers/R/days/1/skiers/2", n), total(n, 550)],
    ],
  ),
  stores(
    "a resort may have any printable name",
    () => post(rides, bodyOf(0, { resortID: printable })),
    created,
    () => row(0, { resort: printable }),
    () => [
      [`/skiers/${encodeURIComponent(printable)}/days/1/skiers/2`, { resortID: printable, totalVert: 270 }],
      [`/resort/day/top10vert?resort=${encodeURIComponent(printable)}&dayID=1`, top([2, 270])],
    ],
  ),
  stores(
    "verticals are sums of a day, of a season's day, of a season, of all days",
    (n) =>
      inTurn(
        ...seasons.map(([season, day, skier, time, liftID]) =>
          post(path(`/skiers/R/seasons/${season}/days/${day}/skiers/${skier}`, n), JSON.stringify({ time, liftID })),
        ),
      ),
    seasons.map(() => created),
    (n) => seasons.map(([season, day, skier, minute, lift]) => row(n, { season, day, skier, minute, lift })),
    (n) =>
      (
        [
          ["/skiers/R/days/1/skiers/30", total(n, 120)],
          ["/skiers/R/days/2/skiers/30", total(n, 110)],
          ["/skiers/R/seasons/2019/days/3/skiers/30", 170],
          ["/skiers/R/seasons/2019/days/3/skiers/31", 390],
          ["/skiers/30/vertical?resort=R", total(n, 530)],
          ["/skiers/30/vertical?resort=R&season=2019", total(n, 300)],
          ["/skiers/99/vertical?resort=R", total(n, 0)],
          ["/skiers/R/days/9/skiers/30", total(n, 0)],
          ["/skiers/R/seasons/2019/days/9/skiers/30", 0],
          ["/shop_war/skiers/R/days/2/skiers/30/", total(n, 110)],
          ["//shop_war//skiers/30//vertical/?resort=R", total(n, 530)],
          ["/shop_war/skiers/R/seasons/2019/days/3/skiers/30", 170],
          ["/resort/day/top10vert?resort=R&dayID=3&season=2019", top([31, 390], [30, 170])],
          ["/resort/day/top10vert?resort=R&dayID=9", top()],
          [`/skiers/Resort%20${n}/days/1/skiers/30`, { resortID: `Resort ${n}`, totalVert: 0 }],
        ] as const
      ).map(([text, expected]) => [path(text, n), expected]),
  ),
  stores(
    "the top of a day has ten skiers, ties by the smaller id; a key of one skier is not that of another",
    (n) => inTurn(...skiers.map(([skierID, liftID]) => post(rides, bodyOf(n, { skierID, liftID }), keyed("1")))),
    skiers.map(() => created),
    (n) => skiers.map(([skier, lift]) => row(n, { skier, lift })),
    (n) => {
      const best = skiers.toSorted(([a, liftA], [b, liftB]) => liftB - liftA || a - b).slice(0, 10);
      return [[topOf(n), top(...best.map(([skier, lift]) => [skier, 10 * lift] as const))]];
    },
  ),
];
