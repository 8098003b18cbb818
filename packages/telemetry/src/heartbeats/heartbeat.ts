import { Type, type Static } from "typebox";

/** The events of a domain that passed a stage in one thread or process. Means are those of the last 10 s. */
export const FlowReport = Type.Object({
  stage: Type.Enum(["accepted", "stored", "ranked"]),
  domain: Type.String(),
  /** Since the start; 0 for ranked, because a ranking message does not have the number of its events. */
  events: Type.Number(),
  batches: Type.Number(),
  eventsPerSecond: Type.Number(),
  batchesPerSecond: Type.Number(),
});
export type FlowReport = Static<typeof FlowReport>;

/** Batches of a domain that are delivered and not settled: the broker counts them in no queue. */
const HeldReport = Type.Object({
  stage: Type.Enum(["stored", "ranked"]),
  domain: Type.String(),
  batches: Type.Integer(),
});
type HeldReport = Static<typeof HeldReport>;

/** A batch is measured by its oldest event, a transaction by its oldest batch. */
export const HopName = Type.Enum([
  "received-sealed",
  "sealed-confirmed",
  "confirmed-responded",
  "sealed-stored",
  "stored-ranked",
]);
export type HopName = Static<typeof HopName>;

/** The times of a hop in the last 10 s: bucket, count, bucket, count, … */
export const HopReport = Type.Object({ hop: HopName, times: Type.Array(Type.Number()) });
export type HopReport = Static<typeof HopReport>;

/** A line of a log, of level warn or above; `at` in ISO 8601. */
const ProblemReport = Type.Object({
  at: Type.String(),
  level: Type.Enum(["warn", "error", "fatal"]),
  message: Type.String(),
});
type ProblemReport = Static<typeof ProblemReport>;

/** What a thread reports to its process; structured-cloneable. */
export interface WorkReport {
  readonly flows: readonly FlowReport[];
  readonly held: readonly HeldReport[];
  readonly hops: readonly HopReport[];
  readonly problems: readonly ProblemReport[];
}

export const ThreadState = Type.Object({
  index: Type.Integer(),
  state: Type.Enum(["starting", "ready", "restarting", "stopping", "stopped"]),
  restarts: Type.Integer(),
  lastError: Type.Union([Type.String(), Type.Null()]),
});
export type ThreadState = Static<typeof ThreadState>;

const version = 1;

/** What a process reports once a second. Times in ms since 1970. */
export const Heartbeat = Type.Object({
  v: Type.Literal(version),
  app: Type.Enum(["gateway", "writer", "ranker"]),
  host: Type.String(),
  pid: Type.Integer(),
  /** By its own clock. */
  startedAt: Type.Number(),
  /** By the clock of Redis. */
  at: Type.Number(),
  /** Its own clock minus the database's; null or absent: not measured. */
  clockOffsetMs: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  threads: Type.Array(ThreadState),
  flows: Type.Array(FlowReport),
  held: Type.Array(HeldReport),
  hops: Type.Array(HopReport),
  /** Newest first. `thread` null: the main thread. */
  problems: Type.Array(Type.Object({ ...ProblemReport.properties, thread: Type.Union([Type.Integer(), Type.Null()]) })),
});
export type Heartbeat = Static<typeof Heartbeat>;

const problemsMax = 10;

/** What the parts of a process report, as one heartbeat. `thread` null: the main thread. */
export function heartbeatOf(
  process: Pick<Heartbeat, "app" | "host" | "pid" | "startedAt" | "at" | "clockOffsetMs">,
  threads: readonly ThreadState[],
  reports: readonly { readonly thread: number | null; readonly report: WorkReport }[],
): Heartbeat {
  const problems = reports.flatMap(({ thread, report }) => report.problems.map((one) => ({ ...one, thread })));
  return {
    v: version,
    ...process,
    threads: [...threads],
    flows: addFlows(reports.flatMap(({ report }) => report.flows)),
    held: summed(
      reports.flatMap(({ report }) => report.held),
      (a, b) => ({ ...a, batches: a.batches + b.batches }),
    ),
    hops: addHops(reports.flatMap(({ report }) => report.hops)),
    problems: problems.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, problemsMax),
  };
}

export function addFlows(flows: readonly FlowReport[]): FlowReport[] {
  return summed(flows, (a, b) => ({
    ...a,
    events: a.events + b.events,
    batches: a.batches + b.batches,
    eventsPerSecond: a.eventsPerSecond + b.eventsPerSecond,
    batchesPerSecond: a.batchesPerSecond + b.batchesPerSecond,
  }));
}

function summed<T extends { readonly stage: string; readonly domain: string }>(
  entries: readonly T[],
  add: (a: T, b: T) => T,
): T[] {
  const same = Map.groupBy(entries, ({ stage, domain }) => `${stage} ${domain}`);
  return Array.from(same.values(), (those) => those.reduce(add));
}

export function addHops(hops: readonly HopReport[]): HopReport[] {
  const byHop = Map.groupBy(hops, ({ hop }) => hop);
  return Array.from(byHop, ([hop, reports]) => ({ hop, times: addUp(reports.map(({ times }) => times)).flat() }));
}

/*
 * Times in buckets that grow by 9 %: a quantile is exact to 5 %, and counts of several threads and processes can be
 * added. A report lists pairs of bucket and count, because most buckets are empty.
 */

const firstMs = 0.05;
const bucketsPerOctave = 8;
// About 100 s; longer times count there.
const bucketMax = 168;

/** The bucket of a time. About 20 ns. */
export function bucketOf(ms: number): number {
  if (!(ms > firstMs)) return 0;
  return Math.min(Math.round(Math.log2(ms / firstMs) * bucketsPerOctave), bucketMax);
}

/** The time below which a share `q` of the times lies, in ms; 0 without any. `pairs`: bucket, count, … in any order. */
export function quantileOf(pairs: readonly number[], q: number): number {
  let left = countOf(pairs) * q;
  for (const [bucket, count] of addUp([pairs])) {
    left -= count;
    if (left <= 0) return timeOf(bucket);
  }
  return 0;
}

export function countOf(pairs: readonly number[]): number {
  return addUp([pairs]).reduce((sum, [, count]) => sum + count, 0);
}

function addUp(lists: readonly (readonly number[])[]): readonly (readonly [bucket: number, count: number])[] {
  const counts = new Map<number, number>();
  for (const pairs of lists) {
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const [bucket = 0, count = 0] = [pairs[i], pairs[i + 1]];
      counts.set(bucket, (counts.get(bucket) ?? 0) + count);
    }
  }
  return [...counts].toSorted(([a], [b]) => a - b);
}

function timeOf(bucket: number): number {
  return Math.round(firstMs * 2 ** (bucket / bucketsPerOctave) * 100) / 100;
}
