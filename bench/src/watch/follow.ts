import { setTimeout as delay } from "node:timers/promises";
import type { Sample } from "../load/load-plan.ts";

/** How long single events took, in ms from sending their request: of events that lie evenly in all that were offered. */
export interface Followed {
  readonly stored: readonly number[];
  readonly ranked: readonly number[];
  readonly events: number;
  /** Not stored, and not ranked, when they were given up. */
  readonly neverStored: number;
  readonly neverRanked: number;
}

interface Way {
  readonly number: number;
  storedMs?: number;
  rankedMs?: number;
  isOver: boolean;
}

const askEveryMs = 15;
// What takes longer is asked for less often, and few at a time: a watcher must not be a load.
const askEveryShare = 0.1;
const followedAtOnce = 20;
const answerWithinMs = 10_000;

/** Follows single events on their way as a user can: it asks for each again and again until it is ranked. */
export class Follower {
  readonly #url: string;
  readonly #giveUpMs: number;
  readonly #ways: Way[] = [];
  readonly #underWay: Promise<void>[] = [];
  #offered = 0;
  // One in so many is followed. Doubled when too many are under way, and all that are not among them are left out, those before too:
  // passing over only what comes while events are slow would show them faster than they are.
  #every = 1;

  constructor(url: string, giveUpMs = 60_000) {
    this.#url = url;
    this.#giveUpMs = giveUpMs;
  }

  follow(sample: Sample): void {
    const number = this.#offered++;
    if (this.#kept().filter(({ isOver }) => !isOver).length >= followedAtOnce) this.#every *= 2;
    if (number % this.#every !== 0) return;
    const way: Way = { number, isOver: false };
    this.#ways.push(way);
    this.#underWay.push(this.#follow(way, sample));
  }

  /** When each is ranked or given up. */
  async done(): Promise<Followed> {
    await Promise.all(this.#underWay);
    const kept = this.#kept();
    const stored = kept.flatMap(({ storedMs }) => storedMs ?? []);
    const ranked = kept.flatMap(({ rankedMs }) => rankedMs ?? []);
    return {
      stored,
      ranked,
      events: kept.length,
      neverStored: kept.length - stored.length,
      neverRanked: kept.length - ranked.length,
    };
  }

  #kept(): readonly Way[] {
    return this.#ways.filter((way) => this.#isKept(way));
  }

  #isKept({ number }: Way): boolean {
    return number % this.#every === 0;
  }

  async #follow(way: Way, { id, sentAt }: Sample): Promise<void> {
    while (this.#isKept(way)) {
      const event = await this.#ask(id);
      const ms = performance.timeOrigin + performance.now() - sentAt;
      if (event.stored) way.storedMs ??= ms;
      if (event.ranked) way.rankedMs ??= ms;
      if (event.ranked || ms > this.#giveUpMs) break;
      await delay(Math.max(askEveryMs, ms * askEveryShare));
    }
    way.isOver = true;
  }

  async #ask(id: string): Promise<{ readonly stored: boolean; readonly ranked: boolean }> {
    try {
      const response = await fetch(`${this.#url}/events/${id}`, { signal: AbortSignal.timeout(answerWithinMs) });
      if (response.ok) {
        const event: unknown = await response.json();
        return { stored: isTrue(event, "stored"), ranked: isTrue(event, "ranked") };
      }
      await response.body?.cancel();
    } catch {
      // asked again
    }
    return { stored: false, ranked: false };
  }
}

function isTrue(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, key) === true;
}
