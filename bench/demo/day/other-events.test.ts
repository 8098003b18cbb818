import { expect, test } from "vitest";
import { planOthers, type OtherEvent } from "./other-events.ts";
import { planDay, type DayOptions } from "./plan-day.ts";

const options: DayOptions = { seed: 7, date: 20_261_120, storesPerZone: 4, purchases: 4000 };
const othersOf = (changes: Partial<DayOptions> = {}) => {
  const all = { ...options, ...changes };
  return planOthers(planDay(all), all);
};

/** Everything of an event that is sent. */
function sent(event: OtherEvent) {
  const request = event.kind === "review" ? event.requestOf("01a1fb30-2980-71ee-89cd-4f71757df440", 1) : event.request;
  return [event.atMs, event.key, request.path, String(request.body)];
}

test("the same options give the same events of the other domains, in order of time", () => {
  const all = othersOf().map(sent);
  expect(othersOf().map(sent)).toEqual(all);
  expect(othersOf({ seed: 8 }).map(sent)).not.toEqual(all);
  const times = othersOf().map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("every other domain has events, albums come first with different covers, and reviews like some albums more than others", () => {
  const events = othersOf();
  const paths = events.map((event) => String(sent(event)[2]));
  for (const start of ["/skiers/liftrides", "/steps/", "/swipe/", "/review/"])
    expect(paths.filter((path) => path.startsWith(start))).toHaveLength(100);
  const albums = events.filter(({ kind }) => kind === "album");
  expect(new Set(albums.map((album) => sent(album)[3])).size).toBe(8);
  const reviewed = events.flatMap((event) => (event.kind === "review" ? [event.album] : []));
  expect(reviewed.filter((album) => album === 0).length).toBeGreaterThan(
    2 * reviewed.filter((album) => album === 7).length,
  );
});
