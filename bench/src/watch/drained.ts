import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../open-system.ts";
import { readCounters, type Counters } from "./counters.ts";

const pollEveryMs = 20;
// Delivered messages are in no queue. The largest transaction takes a tenth of this time.
const stillForMs = 5000;
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

export interface Accepted {
  readonly before: Counters;
  readonly accepted: number;
  /** Requests without a 2xx, whose events may be stored nevertheless. */
  readonly unknown: number;
  /** When the last request was sent. */
  readonly sentAt: number;
}

/**
 * Waits until as many events are stored as were accepted and all of them are ranked. Where the number is uncertain, waits until the counters
 * stop while the queues are empty. `series` are the observations during the load.
 */
export async function drained(
  system: Pick<System, "writerUrls" | "rankerUrls" | "queues">,
  domain: string,
  {
    series: before,
    say,
    ...o
  }: Accepted & { readonly series: readonly Counters[]; readonly say: (line: string) => void },
): Promise<Drained> {
  const series = [...before];
  const deadline = performance.now() + drainWithinMs;
  let last = o.before;
  let movedAt = performance.now();
  for (;;) {
    const now = await readCounters(system);
    series.push(now);
    if (now.stored !== last.stored || now.batches !== last.batches || now.ranked !== last.ranked) movedAt = now.at;
    last = now;
    const stored = now.stored - o.before.stored;
    if (o.unknown === 0 && stored === o.accepted && now.ranked >= now.batches) break;
    const isLate = now.at > deadline;
    if (isLate || (now.at - movedAt > stillForMs && (await system.queues(domain)).every(({ depth }) => depth === 0))) {
      if (stored < o.accepted || now.ranked < now.batches || isLate)
        say(
          `${stored} events are stored, ${o.accepted} were accepted, ${now.ranked} of ${now.batches} batches are ranked` +
            (isLate
              ? `; not drained after ${drainWithinMs / 1000} s`
              : `; no progress for ${stillForMs / 1000} s, see the audit`),
        );
      break;
    }
    await delay(pollEveryMs);
  }
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
