import { afterPartOf, scaled, spreadOver } from "./workload.ts";
import type { Draw, ClientRequest, SourceGroup, Workload } from "./workload.ts";

const resort = "silverMt";

// The skiers of the source.
const skiers = spreadOver(50_000, 500);

/** Rides of one day. A third of the reads is for each of the contract's queries. */
export const workload = {
  domain: "liftrides",
  next: (random, spread) => rideOf(skiers[spread], 1, 420, random),

  read(random, spread) {
    const skier = skiers[spread](random);
    const share = random();
    if (share < 1 / 3) return pathOfDay(skier);
    return share < 2 / 3 ? pathOfVertical(skier) : `/resort/day/top10vert?resort=${resort}&dayID=1`;
  },

  // The schema accepts any number; the column has two bytes.
  poison: { resort, season: 65_536, day: 1, skierId: 1, minute: 1, liftId: 1 },

  source: {
    name: "S3",
    runs: [256, 512].map((threads) => ({
      description: `${threads} threads`,
      groups: (scale: number) => phases(threads, scale),
    })),
  },
} satisfies Workload;

/** A quarter of the threads starts; each further phase starts when a tenth of the previous one has ended. */
function phases(threads: number, scale: number): readonly SourceGroup[] {
  const few = Math.ceil(threads / 4);
  const posts = scaled(1000, scale);
  const phase = (
    name: string,
    connections: number,
    [from, to]: readonly [number, number],
    reads: readonly ((skier: number) => string)[],
    after?: SourceGroup,
  ): SourceGroup => ({
    name,
    connections,
    requestsOfEach: posts + reads.length,
    ...(after && afterPartOf(after, 10)),
    request(_connection, n, random) {
      const read = reads[n - posts];
      return read === undefined
        ? rideOf(skiers.wide, from, to, random)
        : { method: "GET", path: read(skiers.wide(random)) };
    },
  });
  const days = (count: number) => Array.from({ length: scaled(count, scale) }, () => pathOfDay);
  const verticals = (count: number) => Array.from({ length: scaled(count, scale) }, () => pathOfVertical);
  const startUp = phase("start-up", few, [1, 90], days(5));
  const peak = phase("peak", threads, [91, 360], days(5), startUp);
  const closing = phase("closing", few, [361, 420], [...days(10), ...verticals(10)], peak);
  return [startUp, peak, closing];
}

function rideOf(skier: Draw, from: number, to: number, random: () => number): ClientRequest {
  const time = from + Math.floor(random() * (to - from + 1));
  const lift = Math.floor(random() * 40);
  const skierId = skier(random);
  return {
    method: "POST",
    path: "/skiers/liftrides",
    body: `{"resortID":"${resort}","dayID":"1","skierID":"${skierId}","time":"${time}","liftID":"${lift}"}`,
    content: () => ({ resort, season: 0, day: 1, skierId, minute: time, liftId: lift }),
  };
}

const pathOfDay = (skier: number): string => `/skiers/${resort}/days/1/skiers/${skier}`;

const pathOfVertical = (skier: number): string => `/skiers/${skier}/vertical?resort=${resort}`;
