import { createHash } from "node:crypto";
import { scaled, spreadOver, type Spread, type ClientRequest, type SourceGroup, type Workload } from "./workload.ts";

// The users of the source; narrow: so few that each pair is swiped many times.
const swipers = spreadOver(5000, 50);
const swipees = spreadOver(1_000_000, 200);

/** Swipes with comments of 256 letters. Half of the reads are for each of the two queries about a user. */
export const workload = {
  domain: "swipes",
  next: (random, spread) => swipeOf(spread, random),
  read: (random, spread) => queryAbout(swipers[spread](random), random),

  // The schema accepts any text; the column has 256 characters.
  poison: { swiper: 1, swipee: 2, liked: true, at: 0, comment: "x".repeat(257) },

  source: {
    name: "S2",
    runs: [
      { description: "900 threads", groups: shares, retries: 5 },
      { description: "900 threads and readers", groups: (scale) => [...shares(scale), readers], retries: 5 },
    ],
  },
} satisfies Workload;

/** Later in the series: five clients send a GET every 200 ms meanwhile. */
const readers: SourceGroup = {
  name: "readers",
  connections: 5,
  requestsOfEach: 0,
  pacedEveryMs: 200,
  request: (_connection, _n, random) => ({ method: "GET", path: queryAbout(swipers.wide(random), random) }),
};

/** All start at once. Some connections send one request more, because the division leaves a remainder. */
function shares(scale: number): readonly SourceGroup[] {
  const threads = 900;
  const requests = Math.max(threads, scaled(500_000, scale));
  const each = Math.floor(requests / threads);
  const more = requests % threads;
  const group = (name: string, count: number, requestsOfEach: number): SourceGroup => ({
    name,
    connections: count,
    requestsOfEach,
    request: (_connection, _n, random) => swipeOf("wide", random),
  });
  const groups = [group("one more each", more, each + 1), group("swiping", threads - more, each)];
  return groups.filter((one) => one.connections > 0);
}

function queryAbout(user: number, random: () => number): string {
  return random() < 0.5 ? `/matches/${user}` : `/stats/${user}`;
}

function swipeOf(spread: Spread, random: () => number): ClientRequest {
  const direction = random() < 0.5 ? "left" : "right";
  const [swiper, swipee, text] = [swipers[spread](random), swipees[spread](random), comment(random)];
  return swipeTo(direction, swiper, swipee, text);
}

function swipeTo(direction: "left" | "right", swiper: number, swipee: number, text: string): ClientRequest {
  return {
    method: "POST",
    path: `/swipe/${direction}`,
    body: `{"swiper":"${swiper}","swipee":"${swipee}","comment":"${text}"}`,
    content: () => ({ swiper, swipee, comment: text, liked: direction === "right" }),
    other: () => swipeTo(direction === "right" ? "left" : "right", swiper, swipee, text),
  };
}

const commentLetters = 256;
const letterOf = (byte: number): string => String.fromCodePoint(97 + (byte % 26));
const letters = Array.from(createHash("shake256", { outputLength: 8192 }).digest(), letterOf).join("");

/** A part of one long text: 256 draws for each swipe would cost the client more than the request. */
function comment(random: () => number): string {
  const from = Math.floor(random() * (letters.length - commentLetters));
  return letters.slice(from, from + commentLetters);
}
