import { albumRequest, spreadOver, workloadOf, type ClientRequest } from "@tally/domains/workloads";
import { coverOf } from "./cover.ts";
import { dayMs, minuteMs } from "./local-time.ts";
import { randomOf, type DayOptions, type DayPlan } from "./plan-day.ts";

/* The other domains at a small rate, so that every view has data: lift rides, steps, swipes, albums and their reviews. */

/** An event of another domain. A review whose album is not acknowledged yet is left out. */
export type OtherEvent = { readonly atMs: number; readonly key: string } & (
  | { readonly kind: "event"; readonly request: ClientRequest }
  | { readonly kind: "album"; readonly album: number; readonly request: ClientRequest }
  | { readonly kind: "review"; readonly album: number; readonly requestOf: ReviewOf }
);

/** The POST of a review. `acknowledgedAtMs`: when the album was acknowledged, by the client's clock. */
type ReviewOf = (albumEventId: string, acknowledgedAtMs: number) => ClientRequest;

const titles: readonly (readonly [artist: string, title: string, year: string])[] = [
  ["The Tills", "Closing Time", "1998"],
  ["Zipf", "Long Tail", "2003"],
  ["Group Commit", "Five Milliseconds", "2011"],
  ["Quorum", "Two of Three", "2016"],
  ["The Replicas", "A Little Behind", "2019"],
  ["Back-Pressure", "Try Again Later", "2021"],
  ["Ledger", "Exactly Once", "2024"],
  ["Night Shift", "Drained", "2026"],
];
const albumEveryMs = 6 * minuteMs;
const popularity = spreadOver(titles.length, titles.length).zipf;

// Of each domain, for each purchase.
const share = 1 / 40;
const eachMin = 60;
const eachMax = 2000;

/** All of a day, in order of time; the same for a seed. */
export function planOthers(plan: DayPlan, options: DayOptions): readonly OtherEvent[] {
  const each = Math.min(eachMax, Math.max(eachMin, Math.round(options.purchases * share)));
  const albums = titles.map(([artist, title, year], album) => ({
    kind: "album" as const,
    album,
    atMs: plan.startsAtMs + album * albumEveryMs,
    key: plan.keyOf("album", album),
    request: albumRequest({ artist, title, year }, coverOf(album)),
  }));
  const spread = (name: string, place: number, made: (random: () => number) => Made): readonly OtherEvent[] => {
    const { fraction } = randomOf(options, name);
    return Array.from({ length: each }, (_, number) => ({
      ...made(fraction),
      atMs: plan.startsAtMs + Math.floor(((number + place / 4) / each) * dayMs),
      key: plan.keyOf(name, number),
    }));
  };
  const events = ["liftrides", "steps", "swipes"].map((domain, place) =>
    spread(domain, place, (random) => ({ kind: "event", request: workloadOf(domain).next(random, "zipf") })),
  );
  return [...albums, ...events.flat(), ...spread("review", 3, review)].toSorted((a, b) => a.atMs - b.atMs);
}

type Made =
  | Pick<Extract<OtherEvent, { kind: "event" }>, "kind" | "request">
  | Pick<Extract<OtherEvent, { kind: "review" }>, "kind" | "album" | "requestOf">;

function review(random: () => number): Made {
  const album = popularity(random) - 1;
  const drawn = random();
  return {
    kind: "review",
    album,
    requestOf(albumEventId, acknowledgedAtMs) {
      const { followUp } = workloadOf("albums");
      if (followUp === undefined) throw new TypeError("albums have reviews");
      return followUp(() => drawn, albumEventId, acknowledgedAtMs);
    },
  };
}
