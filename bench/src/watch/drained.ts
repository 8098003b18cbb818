import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../open-system.ts";
import { readCounters, type Counters } from "./counters.ts";

/** A moment of performance.now(), and how many events were stored by then. */
export interface Moment {
  readonly at: number;
  readonly events: number;
}

/** When everything accepted was stored, and when it was ranked. undefined: never, as far as the counters tell. */
export interface Drained {
  readonly stored: Moment | undefined;
  readonly ranked: Moment | undefined;
}

export interface Accepted {
  readonly before: Counters;
  readonly accepted: number;
  /** Requests without a 2xx: what they carried may be stored all the same. */
  readonly unknown: number;
  /** When the last request was sent. */
  readonly sentAt: number;
}

const lookEveryMs = 20;
// What a consumer holds is in no queue; a transaction of the largest size takes a tenth of this.
const stillForMs = 5000;
const drainWithinMs = 300_000;

/**
 * Waits until nothing is under way any more: as many stored as accepted and all of it ranked; or, where more or less than that may come,
 * counters that stand still while the queues are empty. `looks` are those of the load.
 */
export async function drained(
  system: Pick<System, "writerUrls" | "rankerUrls" | "queues">,
  domain: string,
  { looks, say, ...o }: Accepted & { readonly looks: readonly Counters[]; readonly say: (line: string) => void },
): Promise<Drained> {
  const series = [...looks];
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
              : ", and nothing moves any more: the audit tells"),
        );
      break;
    }
    await delay(lookEveryMs);
  }
  return momentsOf(series, o);
}

/** From looks in the order of time. Never before the last request was sent: until then more may come. */
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
