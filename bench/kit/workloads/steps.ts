import { afterPartOf, scaled, spreadOver, type ClientRequest, type SourceGroup, type Workload } from "./workload.ts";

const day = 1;

// The users of the source.
const users = spreadOver(1_000_000, 500);

/** Posts of one day. Half of the reads are for the sum of the newest day, half for that of the day. */
export const workload = {
  domain: "steps",
  next: (random, spread) => stepsOf(users[spread](random), Math.floor(random() * 24), random),

  read(random, spread) {
    const user = users[spread](random);
    return random() < 0.5 ? pathOfCurrent(user) : pathOfSingle(user);
  },

  // The schema accepts any number; the column has four bytes.
  poison: { userId: 1, day: 2 ** 32, hour: 0, steps: 1 },

  source: {
    name: "S1",
    runs: [32, 64, 128, 256].map((threads) => ({
      description: `${threads} threads`,
      groups: (scale: number) => phases(threads, scale),
    })),
  },
} satisfies Workload;

const requestsPerIteration = 5;

/** The hours of a day in four phases with different numbers of threads. A phase starts when all threads of the previous
 * one have ended. */
function phases(threads: number, scale: number): readonly SourceGroup[] {
  const perHour = scaled(100, scale);
  const phase = (
    name: string,
    connections: number,
    [from, to]: readonly [number, number],
    after?: SourceGroup,
  ): SourceGroup => ({
    name,
    connections,
    requestsOfEach: (to - from + 1) * perHour * requestsPerIteration,
    ...(after && afterPartOf(after, 1)),
    request: iterations((iteration) => from + Math.floor(iteration / perHour)),
  });
  const warmUp = phase("warm-up", Math.floor(threads / 10), [0, 2]);
  const load = phase("load", threads / 2, [3, 7], warmUp);
  const peak = phase("peak", threads, [8, 18], load);
  const coolDown = phase("cool-down", threads / 4, [19, 23], peak);
  return [warmUp, load, peak, coolDown];
}

/** Three users per iteration: two post and are read, the third posts. */
function iterations(hourOf: (iteration: number) => number): SourceGroup["request"] {
  const drawn = new Map<number, readonly [number, number, number]>();
  return (connection, n, random) => {
    const step = n % requestsPerIteration;
    const before = step === 0 ? undefined : drawn.get(connection);
    const [first, second, third] = before ?? [users.wide(random), users.wide(random), users.wide(random)];
    if (before === undefined) drawn.set(connection, [first, second, third]);
    const hour = hourOf(Math.floor(n / requestsPerIteration));
    if (step === 2) return { method: "GET", path: pathOfCurrent(first) };
    if (step === 3) return { method: "GET", path: pathOfSingle(second) };
    return stepsOf(step === 0 ? first : step === 1 ? second : third, hour, random);
  };
}

function stepsOf(user: number, hour: number, random: () => number): ClientRequest {
  return stepsAt(user, hour, Math.floor(random() * 5001));
}

function stepsAt(user: number, hour: number, steps: number): ClientRequest {
  return {
    method: "POST",
    path: `/steps/${user}/${day}/${hour}/${steps}`,
    units: steps,
    content: () => ({ userId: user, day, hour, steps }),
    other: () => stepsAt(user, (hour + 1) % 24, steps),
  };
}

const pathOfCurrent = (user: number): string => `/steps/current/${user}`;

const pathOfSingle = (user: number): string => `/steps/single/${user}/${day}`;
