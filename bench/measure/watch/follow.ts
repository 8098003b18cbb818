import { setTimeout as delay } from "node:timers/promises";
import { eventState } from "../../kit/index.ts";
import type { Sample } from "../load/recorder.ts";

const pollEveryMs = 15;
// Slow events are polled less often, and few at a time, so that following is not a load.
const pollEveryShare = 0.1;
const followedAtOnce = 20;
const responseWithinMs = 10_000;

/** How long single events took, in ms from sending the request. The events are an even sample of the load. */
export type Followed = Awaited<ReturnType<Follower["done"]>>;

/** An event that is followed, and its number in the samples. */
interface FollowedEvent {
  readonly number: number;
  storedMs?: number;
  rankedMs?: number;
  isOver: boolean;
}

/** Follows single events as a client can: polls GET /events/:id until the event is ranked. */
export class Follower {
  readonly #url: string;
  readonly #giveUpMs: number;
  readonly #events: FollowedEvent[] = [];
  readonly #underWay: Promise<void>[] = [];
  #offered = 0;
  // Sampling stride; doubled when too many events are under way. Also drops earlier events outside the new stride;
  // otherwise fast events would be over-represented.
  #every = 1;

  constructor(url: string, giveUpMs = 60_000) {
    this.#url = url;
    this.#giveUpMs = giveUpMs;
  }

  follow(sample: Sample): void {
    const number = this.#offered++;
    if (this.#kept().filter(({ isOver }) => !isOver).length >= followedAtOnce) this.#every *= 2;
    if (number % this.#every !== 0) return;
    const event: FollowedEvent = { number, isOver: false };
    this.#events.push(event);
    this.#underWay.push(this.#follow(event, sample));
  }

  /** Resolves when each event is ranked or given up. */
  async done() {
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

  #kept(): readonly FollowedEvent[] {
    return this.#events.filter((event) => this.#isKept(event));
  }

  #isKept({ number }: FollowedEvent): boolean {
    return number % this.#every === 0;
  }

  async #follow(followed: FollowedEvent, { id, sentAt }: Sample): Promise<void> {
    while (this.#isKept(followed)) {
      // Without a response it is polled again.
      const event = await eventState(this.#url, id, responseWithinMs).catch(() => ({ stored: false, ranked: false }));
      const ms = performance.timeOrigin + performance.now() - sentAt;
      if (event.stored) followed.storedMs ??= ms;
      if (event.ranked) followed.rankedMs ??= ms;
      if (event.ranked || ms > this.#giveUpMs) break;
      await delay(Math.max(pollEveryMs, ms * pollEveryShare));
    }
    followed.isOver = true;
  }
}
