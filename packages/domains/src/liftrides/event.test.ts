import { isEventId } from "@tally/contract";
import { expect, test } from "vitest";
import { liftIdMax, liftRideEvent, type LiftRide } from "./event.ts";
import { routes } from "./routes.ts";

const ride: LiftRide = { resort: "silverMt", season: 2019, day: 1, skierId: 2, minute: 408, liftId: 27 };

test("equal rides have equal ids, different rides different ids", () => {
  const id = liftRideEvent(ride).id;
  expect(isEventId(id)).toBe(true);
  // Fixed: if a new version of the code changed it, the same ride would be stored twice.
  expect(id).toBe("41644a31-74c2-82cd-8bcd-6b48a9a827cc");
  const others = [
    { resort: "silvermt" },
    { season: 2020 },
    { day: 2 },
    { skierId: 3 },
    { minute: 409 },
    { liftId: 28 },
    // The parts must stay separate.
    { day: 12, skierId: 2 },
    { day: 1, skierId: 22 },
    { liftId: 2, resort: "7/silverMt" },
  ].map((more) => liftRideEvent({ ...ride, ...more }).id);
  expect(new Set([id, ...others]).size).toBe(others.length + 1);
});

test("each skier has an own scope of keys, in which an import sends one ride after the other", () => {
  const scopesOf = (skierID: string) => routes.map(({ scope }) => scope({ skierID }, { skierID }));
  expect([scopesOf("002"), scopesOf("3")]).toEqual([
    ["liftrides/2", "liftrides/2"],
    ["liftrides/3", "liftrides/3"],
  ]);
});

test("the vertical of all rides of a skier on a day stays below 2^53, up to which Redis counts exactly", () => {
  // A ride is stored once for its skier, day, minute and lift, and adds ten times its lift.
  const [minutes, lifts] = [1441, (liftIdMax * (liftIdMax + 1)) / 2];
  expect(minutes * 10 * lifts).toBeLessThan(2 ** 53);
});
