import { expect, test } from "vitest";
import * as albums from "./albums/rank.ts";
import type { AlbumsEvent } from "./albums/event.ts";
import { boardsOf, changeOf } from "./boards-of.fixture.ts";
import { liftRideEvent, rideOfUnknownSkier, type LiftRide } from "./liftrides/event.ts";
import * as liftrides from "./liftrides/rank.ts";
import type { PurchaseEvent } from "./purchases/event.ts";
import * as purchases from "./purchases/rank.ts";
import * as steps from "./steps/rank.ts";
import * as swipes from "./swipes/rank.ts";

/* What each domain's `rank` adds to the boards. */

const sale = (storeId: number, ...lines: PurchaseEvent["lines"]) =>
  changeOf({ id: "", storeId, customerId: 1, date: 20261120, lines });

test("purchases: counts each line for its store and for its item, summed over the batch", () => {
  const changes = [sale(1, [10, 2], [11, 1], [10, 3]), sale(2, [10, 4]), sale(1, [10, 1])];
  expect(boardsOf(purchases.rank, changes)).toEqual({
    "store:1": { "10": 6, "11": 1 },
    "store:2": { "10": 4 },
    "item:10": { "1": 6, "2": 4 },
    "item:11": { "1": 1 },
  });
});

test("albums: counts each review for its album on the board of its kind; an album counts nowhere", () => {
  const [one, two] = ["01a1fb30-2980-71ee-89cd-4f71757df440", "01a1fb30-2980-71ee-89cd-4f71757df441"] as const;
  const profile = { artist: "", title: "", year: "" };
  const review = (albumId: string, liked: boolean) => changeOf<AlbumsEvent>({ kind: "review", id: "", albumId, liked });
  const changes = [
    changeOf<AlbumsEvent>({ kind: "album", id: one, ...profile, imageType: "image/png", image: Buffer.alloc(1) }),
    review(one, true),
    review(two, false),
    review(one, true),
    review(one, false),
  ];
  expect(boardsOf(albums.rank, changes)).toEqual({
    likes: { "01a1fb30298071ee89cd4f71757df440": 2 },
    dislikes: { "01a1fb30298071ee89cd4f71757df441": 1, "01a1fb30298071ee89cd4f71757df440": 1 },
  });
});

const ride = (fields: Partial<LiftRide>) =>
  changeOf(liftRideEvent({ resort: "a", season: 0, day: 1, skierId: 1, minute: 1, liftId: 3, ...fields }));

test("liftrides: counts ten times the lift's number for the skier on the board of the day, the season and the resort; no unknown skier", () => {
  const changes = [
    ride({}),
    ride({ minute: 2, liftId: 4 }),
    ride({ skierId: 2 }),
    ride({ day: 2 }),
    ride({ season: 2019 }),
    ride({ resort: "b:1" }),
    changeOf(rideOfUnknownSkier("", { resort: "a", season: 0, day: 1, minute: 1, liftId: 3 })),
  ];
  expect(boardsOf(liftrides.rank, changes)).toEqual({
    "day:0:1:a": { "1": 70, "2": 30 },
    "day:0:2:a": { "1": 30 },
    "day:2019:1:a": { "1": 30 },
    "day:0:1:b:1": { "1": 30 },
  });
});

test("steps: adds up all steps of a user's day, also those of one hour", () => {
  const posts = [
    [1, 1, 8, 100],
    [1, 1, 8, 100],
    [1, 1, 9, 5],
    [2, 1, 8, 7],
    [1, 2, 0, 1],
  ] as const;
  const changes = posts.map(([userId, day, hour, count]) => changeOf({ id: "", userId, day, hour, steps: count }));
  expect(boardsOf(steps.rank, changes)).toEqual({ "day:1": { "1": 205, "2": 7 }, "day:2": { "1": 1 } });
});

const change = (swipee: number, before: boolean | undefined, after: boolean) => ({
  ...changeOf({ id: "", swiper: 1, swipee, liked: after, at: 0, comment: "" }),
  before,
  after,
});

test("swipes: counts a like and no dislike, removes a like that becomes a dislike, and ignores a repetition", () => {
  const changes = [
    change(10, undefined, true),
    change(10, undefined, true),
    change(11, undefined, false),
    change(12, true, false),
    change(13, false, true),
    change(14, true, true),
    change(15, false, false),
  ];
  expect(boardsOf(swipes.rank, changes)).toEqual({ likes: { "10": 2, "12": -1, "13": 1 } });
});
