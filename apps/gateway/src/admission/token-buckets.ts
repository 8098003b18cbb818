import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeyLimit } from "@tally/access";
import type { Outage } from "@tally/runtime";

/*
 * Token buckets in Redis, shared by all gateways. Three things keep the cost below one call for each request:
 *
 *   calls are shared   requests of one event loop turn, or that arrive during a call, share the next call: one script
 *                      for up to 256 buckets and any number of requests
 *   tokens in hand     a subject that used its tokens within 100 ms gets twice as many in the next call, at most 50 ms
 *                      of its rate and a quarter of its burst. Tokens older than 100 ms are dropped. So a limit is
 *                      never exceeded, and limits below 20 events/s are exact
 *   empty buckets      an empty bucket stays empty until its next token is due, on all gateways. Until then, requests
 *                      are rejected without a call
 */

/** What `count` requests of `cost` tokens each need from a bucket. */
export interface Demand {
  readonly subject: string;
  readonly limit: KeyLimit;
  readonly cost: number;
  readonly count: number;
}

/** The requests that got their tokens, the tokens left, and the time until the bucket is full. */
type Supply = Readonly<Record<"granted" | "remaining" | "fullMs", number>>;

/** `fullMs`: until the bucket is full. `againMs`: until the request may be sent again; 0 when it was granted. */
export interface Taken extends Omit<Supply, "granted"> {
  readonly granted: boolean;
  readonly againMs: number;
}

interface TokenBucketOptions {
  /** One call of the script. */
  readonly supply: (demands: readonly Demand[]) => Promise<readonly Supply[]>;
  /** Gets the result of each call. */
  readonly outage: Outage;
}

interface Group extends Omit<Demand, "count"> {
  readonly waiters: ((taken: Taken | "unknown") => void)[];
}

/** What a gateway knows of a bucket. `remaining`: in Redis. Times are those of performance.now(). */
interface Known {
  inHand: number;
  readonly inHandUntil: number;
  /** How many tokens were taken for later requests. */
  readonly ahead: number;
  readonly remaining: number;
  readonly fullAt: number;
  readonly emptyUntil: number;
}

const groupsMax = 256;
// The oldest is dropped first. Its tokens in hand are lost; the next request calls Redis again.
const knownMax = 10_000;
const inHandMs = 100;
// For this time after a failure, requests are "unknown" immediately and do not wait for Redis.
const restMs = 1000;

export type TokenBuckets = ReturnType<typeof tokenBuckets>;

export function tokenBuckets({ supply, outage }: TokenBucketOptions) {
  const knownBuckets = new Map<string, Known>();
  let waiting = new Map<string, Group>();
  let restUntil = -Infinity;
  let calling = false;

  // Never runs twice at once: calling.
  async function callAll(): Promise<void> {
    calling = true;
    await nextTurn();
    while (waiting.size > 0) {
      const groups = [...waiting.values()];
      waiting = new Map();
      for (let at = 0; at < groups.length; at += groupsMax) await call(groups.slice(at, at + groupsMax));
    }
    calling = false;
  }

  async function call(groups: readonly Group[]): Promise<void> {
    const aheads = groups.map(aheadOf);
    let supplies: readonly Supply[] = [];
    try {
      if (performance.now() >= restUntil) {
        supplies = await supply(
          groups.map(({ waiters, ...group }, index) => ({ ...group, count: waiters.length + (aheads[index] ?? 0) })),
        );
        outage.worked();
      }
    } catch (error) {
      outage.failed(error);
      restUntil = performance.now() + restMs;
    }
    for (const [index, group] of groups.entries()) settle(group, supplies[index]);
    for (const [index, group] of groups.entries()) learn(group, supplies[index], aheads[index] ?? 0);
  }

  /** How many tokens to take for later requests, by the use in the last 100 ms. */
  function aheadOf({ subject, limit, cost, waiters }: Group): number {
    const known = knownBuckets.get(subject);
    if (cost > 1 || known === undefined || performance.now() > known.inHandUntil) return 0;
    return Math.min(2 * known.ahead + waiters.length, Math.floor(limit.perSecond / 20), Math.floor(limit.burst / 4));
  }

  function learn({ subject, limit, cost, waiters }: Group, supplied: Supply | undefined, ahead: number): void {
    if (supplied === undefined || cost > 1) return;
    const now = performance.now();
    const { granted, remaining, fullMs } = supplied;
    const inHand = Math.max(0, granted - waiters.length);
    const emptyUntil = granted < waiters.length ? now + againMsOf(limit, 1, fullMs) : -Infinity;
    const known = { inHand, inHandUntil: now + inHandMs, ahead, remaining, fullAt: now + fullMs, emptyUntil };
    knownBuckets.delete(subject);
    knownBuckets.set(subject, known);
    const [oldest = ""] = knownBuckets.keys();
    if (knownBuckets.size > knownMax) knownBuckets.delete(oldest);
  }

  /** Takes `cost` tokens (at most the burst) from a bucket, or none. "unknown": Redis does not reply. Never rejects. */
  function take(subject: string, limit: KeyLimit, cost: number): Promise<Taken | "unknown"> | Taken | "unknown" {
    const now = performance.now();
    const known = knownBuckets.get(subject);
    if (known !== undefined) {
      const fullMs = Math.max(0, known.fullAt - now);
      if (known.inHand >= cost && now < known.inHandUntil) {
        known.inHand -= cost;
        return { granted: true, remaining: known.remaining + known.inHand, fullMs, againMs: 0 };
      }
      if (now < known.emptyUntil)
        return { granted: false, remaining: 0, fullMs, againMs: againMsOf(limit, cost, fullMs) };
    }
    if (now < restUntil) return "unknown";
    return new Promise((resolve) => {
      const newGroup = (): Group => ({ subject, limit, cost, waiters: [] });
      waiting.getOrInsertComputed(`${cost} ${subject}`, newGroup).waiters.push(resolve);
      if (!calling) void callAll();
    });
  }

  return { take };
}

function settle({ limit, cost, waiters }: Group, supply: Supply | undefined): void {
  if (supply === undefined) return waiters.forEach((resolve) => resolve("unknown"));
  const { granted, fullMs } = supply;
  // Tokens in hand count as left.
  const remaining = supply.remaining + (cost === 1 ? Math.max(0, granted - waiters.length) : 0);
  for (const [index, resolve] of waiters.entries()) {
    const againMs = index < granted ? 0 : againMsOf(limit, cost, fullMs);
    resolve({ granted: index < granted, remaining, fullMs, againMs });
  }
}

/** When a bucket that is full in `fullMs` has `cost` tokens, in ms. */
function againMsOf({ perSecond, burst }: KeyLimit, cost: number, fullMs: number): number {
  return Math.max(0, fullMs - ((burst - cost) * 1000) / perSecond);
}
