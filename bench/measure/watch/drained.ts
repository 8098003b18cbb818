import { untilDrained } from "@tally/reconcile";
import type { System } from "../open-system.ts";
import { readCounters, type Counters } from "./watch.ts";

// As often as the apps compute their metrics again.
const pollEveryMs = 100;
// Delivered messages are in no queue. The largest transaction takes a tenth of this time.
const quietForMs = 5000;
const drainWithinMs = 300_000;

/** A time of performance.now(), and the number of events stored by then. */
export interface Moment {
  readonly at: number;
  readonly events: number;
}

/** When all accepted events were stored, and when they were ranked. undefined: the counters never showed it. */
export interface Drained {
  readonly stored: Moment | undefined;
  readonly ranked: Moment | undefined;
}

interface Accepted {
  readonly before: Counters;
  readonly accepted: number;
  /** Requests without a 2xx, whose events may be stored nevertheless. */
  readonly unknown: number;
  /** When the last request was sent. */
  readonly sentAt: number;
  readonly series: readonly Counters[];
  readonly say: (line: string) => void;
}

/** Until all accepted events are ranked or, if their number is uncertain, the counters and queues rest. */
export async function drained(
  system: Pick<System, "writerUrls" | "rankerUrls" | "queues">,
  domain: string,
  { say, ...o }: Accepted,
): Promise<Drained> {
  const series = [...o.series];
  let last = o.before;
  const stored = (): number => last.stored - o.before.stored;
  const left = await untilDrained(
    async () => {
      last = await readCounters(system);
      series.push(last);
      return { progress: [last.stored, last.batches, last.ranked].join(), underWay };
    },
    { everyMs: pollEveryMs, withinMs: drainWithinMs },
  );
  async function underWay(stillForMs: number): Promise<readonly string[]> {
    if (o.unknown === 0 && stored() === o.accepted && last.ranked >= last.batches) return [];
    if (stillForMs < quietForMs) return ["events are being stored or ranked"];
    const depth = (await system.queues(domain)).reduce((sum, queue) => sum + queue.depth, 0);
    return depth === 0 ? [] : [`${depth} messages wait in the queues`];
  }
  if (stored() < o.accepted || last.ranked < last.batches || left.length > 0)
    say(
      `${stored()} events are stored, ${o.accepted} were accepted, ${last.ranked} of ${last.batches} batches are ranked; ` +
        (left.length > 0
          ? `not drained after ${drainWithinMs / 1000} s: ${left.join(", ")}`
          : `no progress for ${quietForMs / 1000} s, see the audit`),
    );
  return momentsOf(series, o);
}

/** `series` is in the order of time. A moment is never before the last request, until which more events may come. */
export function momentsOf(
  series: readonly Counters[],
  { before, accepted, sentAt }: Pick<Accepted, "before" | "accepted" | "sentAt">,
): Drained {
  const moment = (isReached: (counters: Counters) => boolean): Moment | undefined => {
    const first = series.find(
      (counters) => counters.at >= sentAt && counters.stored - before.stored >= accepted && isReached(counters),
    );
    return first && { at: first.at, events: first.stored - before.stored };
  };
  return { stored: moment(() => true), ranked: moment(({ ranked, batches }) => ranked >= batches) };
}
