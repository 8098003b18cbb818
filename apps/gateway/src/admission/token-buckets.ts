import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeyLimit } from "@tally/access";

/*
 * Token buckets in Redis, shared by all gateways. Requests that ask in one turn of the event loop, or while a call is under way, share the next
 * call: one script for up to `groupsMax` buckets, however many requests. So the cost is per call and not per request.
 *
 * A bucket without a token stays so until its next one is due, whatever other gateways do. Until then its requests are refused here, without
 * Redis.
 */

/** One kind of demand on a bucket: `count` requests of `cost` tokens each. */
export interface Demand {
  readonly subject: string;
  readonly limit: KeyLimit;
  readonly cost: number;
  readonly count: number;
}

/** What became of a demand: how many of its requests have their tokens, how many tokens are left, and the time until the bucket is full. */
export interface Supply {
  readonly granted: number;
  readonly remaining: number;
  readonly fullMs: number;
}

export interface Taken {
  readonly granted: boolean;
  readonly remaining: number;
  /** Until the bucket is full. */
  readonly fullMs: number;
  /** Until the request may be sent again; 0 when it was granted. */
  readonly againMs: number;
}

export interface TokenBucketOptions {
  /** One call of the script. */
  readonly ask: (demands: readonly Demand[]) => Promise<readonly Supply[]>;
  readonly onFailed: (error: unknown) => void;
  readonly onWorked: () => void;
}

interface Group extends Omit<Demand, "count"> {
  readonly waiters: ((taken: Taken | "unknown") => void)[];
}

const groupsMax = 256;
// Buckets that are known to be empty; the oldest is forgotten first, and is asked for again.
const emptyMax = 10_000;
// After a failure all requests of this time are "unknown" at once: none of them waits for a Redis that is away.
const restMs = 1000;

export class TokenBuckets {
  readonly #options: TokenBucketOptions;
  readonly #empty = new Map<string, { readonly until: number; readonly fullAt: number }>();
  #waiting = new Map<string, Group>();
  #restUntil = -Infinity;
  #asking = false;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
  }

  /** Takes `cost` tokens, at most the burst, of a bucket, or none. "unknown": Redis does not answer. Never rejects. */
  take(subject: string, limit: KeyLimit, cost: number): Promise<Taken | "unknown"> | Taken | "unknown" {
    const now = performance.now();
    const empty = this.#empty.get(subject);
    if (empty !== undefined) {
      if (now < empty.until) {
        return { granted: false, remaining: 0, fullMs: empty.fullAt - now, againMs: empty.until - now };
      }
      this.#empty.delete(subject);
    }
    if (now < this.#restUntil) return "unknown";
    return new Promise((resolve) => {
      const name = `${cost} ${subject}`;
      const group = this.#waiting.get(name);
      if (group !== undefined) group.waiters.push(resolve);
      else this.#waiting.set(name, { subject, limit, cost, waiters: [resolve] });
      if (!this.#asking) void this.#askAll();
    });
  }

  // Never runs twice at once: #asking.
  async #askAll(): Promise<void> {
    this.#asking = true;
    await nextTurn();
    while (this.#waiting.size > 0) {
      const groups = [...this.#waiting.values()];
      this.#waiting = new Map();
      for (let at = 0; at < groups.length; at += groupsMax) await this.#ask(groups.slice(at, at + groupsMax));
    }
    this.#asking = false;
  }

  async #ask(groups: readonly Group[]): Promise<void> {
    let supplies: readonly Supply[];
    try {
      if (performance.now() < this.#restUntil) supplies = [];
      else {
        supplies = await this.#options.ask(
          groups.map(({ waiters, ...demand }) => ({ ...demand, count: waiters.length })),
        );
        this.#options.onWorked();
      }
    } catch (error) {
      this.#options.onFailed(error);
      this.#restUntil = performance.now() + restMs;
      supplies = [];
    }
    for (const [index, group] of groups.entries()) this.#settle(group, supplies[index]);
  }

  #settle({ subject, limit, cost, waiters }: Group, supply: Supply | undefined): void {
    if (supply === undefined) {
      for (const resolve of waiters) resolve("unknown");
      return;
    }
    const { granted, remaining, fullMs } = supply;
    const msPerToken = 1000 / limit.perSecond;
    // A bucket of `fullMs` has this many tokens when so much of it has passed.
    const againMs = Math.max(0, fullMs - (limit.burst - cost) * msPerToken);
    for (const [index, resolve] of waiters.entries()) {
      const isGranted = index < granted;
      resolve({ granted: isGranted, remaining, fullMs, againMs: isGranted ? 0 : againMs });
    }
    if (granted < waiters.length && remaining === 0)
      this.#noteEmpty(subject, fullMs, fullMs - (limit.burst - 1) * msPerToken);
  }

  #noteEmpty(subject: string, fullMs: number, againMs: number): void {
    const now = performance.now();
    this.#empty.delete(subject);
    this.#empty.set(subject, { until: now + againMs, fullAt: now + fullMs });
    if (this.#empty.size <= emptyMax) return;
    for (const oldest of this.#empty.keys()) {
      this.#empty.delete(oldest);
      break;
    }
  }
}
