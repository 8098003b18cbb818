import { type FlowReport, type HopName, type HopReport, bucketOf } from "./heartbeat.ts";

const windowMs = 10_000;

interface Totals {
  readonly stage: FlowReport["stage"];
  readonly domain: string;
  events: number;
  batches: number;
}

interface Snapshot {
  readonly atMs: number;
  readonly flows: ReadonlyMap<string, Readonly<Totals>>;
  readonly hops: ReadonlyMap<HopName, ReadonlyMap<number, number>>;
}

/** Counts what one thread does. Called once for each batch or transaction, never for each event: about 0.1 µs. */
export class Activity {
  readonly #flows = new Map<string, Totals>();
  readonly #hops = new Map<HopName, Map<number, number>>();
  /** Oldest first; the first begins the window. */
  readonly #snapshots: Snapshot[] = [{ atMs: performance.now(), flows: new Map(), hops: new Map() }];

  count(stage: FlowReport["stage"], domain: string, events: number, batches: number): void {
    const key = `${stage} ${domain}`;
    let totals = this.#flows.get(key);
    if (totals === undefined) this.#flows.set(key, (totals = { stage, domain, events: 0, batches: 0 }));
    totals.events += events;
    totals.batches += batches;
  }

  took(hop: HopName, ms: number): void {
    let times = this.#hops.get(hop);
    if (times === undefined) this.#hops.set(hop, (times = new Map()));
    const bucket = bucketOf(ms);
    times.set(bucket, (times.get(bucket) ?? 0) + 1);
  }

  /** The sums, and the means and times of the last 10 s. Called about once a second: it copies the sums, some µs. */
  report(): { readonly flows: readonly FlowReport[]; readonly hops: readonly HopReport[] } {
    const now = this.#snapshot();
    this.#snapshots.push(now);
    while (this.#snapshots.length > 2 && now.atMs - (this.#snapshots[1]?.atMs ?? 0) >= windowMs)
      this.#snapshots.shift();
    const then = this.#snapshots[0] ?? now;
    const seconds = Math.max(now.atMs - then.atMs, 1000) / 1000;
    return {
      flows: Array.from(now.flows, ([key, flow]) => ({
        ...flow,
        eventsPerSecond: (flow.events - (then.flows.get(key)?.events ?? 0)) / seconds,
        batchesPerSecond: (flow.batches - (then.flows.get(key)?.batches ?? 0)) / seconds,
      })),
      hops: Array.from(now.hops, ([hop, times]) => ({ hop, times: newTimes(times, then.hops.get(hop)) })),
    };
  }

  #snapshot(): Snapshot {
    return {
      atMs: performance.now(),
      flows: new Map(Array.from(this.#flows, ([key, totals]) => [key, { ...totals }])),
      hops: new Map(Array.from(this.#hops, ([hop, times]) => [hop, new Map(times)])),
    };
  }
}

function newTimes(now: ReadonlyMap<number, number>, then: ReadonlyMap<number, number> | undefined): number[] {
  return [...now].flatMap(([bucket, count]) => {
    const added = count - (then?.get(bucket) ?? 0);
    return added === 0 ? [] : [bucket, added];
  });
}
