import { setTimeout as delay } from "node:timers/promises";
import type { Sample } from "../load/load-plan.ts";

/** How long single events took, in ms from sending their request. */
export interface Followed {
  readonly stored: readonly number[];
  readonly ranked: readonly number[];
  /** Not ranked when it was given up. */
  readonly lost: number;
}

const askEveryMs = 15;
// What takes longer is asked for less often, and few at a time: a watcher must not be a load.
const askEveryShare = 0.1;
const followedAtOnce = 5;
const giveUpMs = 60_000;

/** Follows single events on their way as a user can: it asks for each again and again until it is ranked. Some of them, not all. */
export class Follower {
  readonly #url: string;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stored: number[] = [];
  readonly #ranked: number[] = [];
  #lost = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Passes the event over when it follows enough already. */
  follow(sample: Sample): void {
    if (this.#underWay.size >= followedAtOnce) return;
    const following = this.#follow(sample).finally(() => this.#underWay.delete(following));
    this.#underWay.add(following);
  }

  async done(): Promise<Followed> {
    await Promise.all(this.#underWay);
    return { stored: this.#stored, ranked: this.#ranked, lost: this.#lost };
  }

  async #follow({ id, sentAt }: Sample): Promise<void> {
    let stored = false;
    while (Date.now() - sentAt < giveUpMs) {
      const event = await this.#ask(id);
      const ms = performance.timeOrigin + performance.now() - sentAt;
      if (event.stored && !stored) this.#stored.push(ms);
      stored ||= event.stored;
      if (event.ranked) {
        this.#ranked.push(ms);
        return;
      }
      await delay(Math.max(askEveryMs, ms * askEveryShare));
    }
    this.#lost++;
  }

  async #ask(id: string): Promise<{ readonly stored: boolean; readonly ranked: boolean }> {
    try {
      const response = await fetch(`${this.#url}/events/${id}`);
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
