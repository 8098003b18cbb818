import { setTimeout as delay } from "node:timers/promises";
import { clockOf } from "../day/local-time.ts";
import type { OtherEvent } from "../day/other-events.ts";
import type { DayPlan, Sale } from "../day/plan-day.ts";
import { requestOf } from "../day/requests.ts";
import { reachOf } from "../day/store-outage.ts";
import { DayRecord } from "./day-record.ts";
import { sendKept } from "./send-kept.ts";
import type { Sender } from "./sender.ts";

interface DayPlaying {
  readonly plan: DayPlan;
  readonly others: readonly OtherEvent[];
  /** Seconds of the day in a second. */
  readonly speed: number;
  readonly sender: Sender;
  readonly say: (line: string) => void;
  /** Aborted: no further purchase begins. Those under way, and kept ones, are sent within 10 s. */
  readonly signal: AbortSignal;
}

const tickMs = 5;
// Each has a connection. While the gateway is away, purchases wait here; the clock goes on, and the rest of the day follows later.
const underWayMax = 1000;
const endWithinMs = 10_000;

/** Plays one day by its clock. */
export class DayPlayer {
  readonly record = new DayRecord();
  readonly #playing: DayPlaying;
  readonly #startedAt = performance.now();
  #endedAt: number | undefined;
  readonly #work = new Set<Promise<void>>();
  readonly #kept: Sale[] = [];
  // By key: the ids that the gateway gives to purchases whose response the store does not get.
  readonly #unsure = new Map<string, Promise<string | undefined>>();
  readonly #albums = new Map<number, { readonly id: string; readonly atMs: number }>();
  #isAway = false;
  #isBack = false;
  #unacknowledged = 0;

  constructor(playing: DayPlaying) {
    this.#playing = playing;
  }

  /** The time of the day, in ms since 1970; the clock stops when the last purchase has begun. */
  get nowMs(): number {
    const { plan, speed } = this.#playing;
    const endedAt = this.#endedAt ?? performance.now();
    return Math.min(plan.endsAtMs, plan.startsAtMs + (endedAt - this.#startedAt) * speed);
  }

  /** Purchases that the offline store keeps; undefined while all stores are online. */
  get keeping(): number | undefined {
    return this.#isAway && !this.#isBack ? this.#kept.length : undefined;
  }

  /** Purchases that were begun and have no 2xx: rejected, or given up. */
  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  /** Resolves when the day is over, or `signal` is aborted, and everything that was begun has ended. */
  async run(): Promise<void> {
    const { plan, others, sender, signal } = this.#playing;
    const sales = plan.sales();
    let sale = sales.next();
    let other = 0;
    while (!signal.aborted) {
      const now = this.nowMs;
      const isDue = (atMs: number): boolean => atMs <= now && sender.underWay < underWayMax;
      while (sale.done !== true && isDue(sale.value.atMs)) {
        this.#sell(sale.value);
        sale = sales.next();
      }
      for (let event = others[other]; event !== undefined && isDue(event.atMs); event = others[++other])
        this.#begin(this.#sendOther(event));
      if (now >= plan.outage.fromMs && !this.#isAway) this.#goOffline();
      if (now >= plan.outage.untilMs && !this.#isBack) this.#comeBack();
      if (sale.done === true && other >= others.length && now >= plan.endsAtMs) break;
      await delay(tickMs);
    }
    this.#endedAt = performance.now();
    if (!this.#isBack) this.#comeBack();
    const giveUpLater = (): void => void setTimeout(() => sender.giveUp(), endWithinMs).unref();
    if (signal.aborted) giveUpLater();
    else signal.addEventListener("abort", giveUpLater, { once: true });
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #sell(sale: Sale): void {
    const { outage } = this.#playing.plan;
    const reach = reachOf(outage, sale);
    // After the store has come back, a purchase of the outage that is still to begin is sent at once.
    if (reach === "sent" || this.#isBack) return this.#begin(this.#send(sale));
    this.#kept.push(sale);
    if (reach === "unsure") this.#unsure.set(sale.key, this.#sendUnsure(sale));
  }

  async #send(sale: Sale): Promise<void> {
    const response = await this.#playing.sender.send(requestOf(sale), sale.key);
    if (response === undefined) this.#unacknowledged++;
    else this.record.acknowledge(sale, response.id);
  }

  /** The gateway gets it, and the store gets no response. */
  async #sendUnsure(sale: Sale): Promise<string | undefined> {
    return (await this.#playing.sender.once(requestOf(sale), sale.key))?.id;
  }

  #goOffline(): void {
    const { outage } = this.#playing.plan;
    this.#isAway = true;
    this.#say(outage.fromMs, `store ${outage.store.id} is offline and keeps its purchases`);
  }

  #comeBack(): void {
    this.#isBack = true;
    if (this.#kept.length > 0) this.#begin(this.#catchUp());
  }

  async #catchUp(): Promise<void> {
    const { plan, sender } = this.#playing;
    const { store } = plan.outage;
    const atMs = this.nowMs;
    const { kept } = this.record;
    this.#say(atMs, `store ${store.id} is back and sends ${this.#kept.length} kept purchases`);
    const before = new Map(await Promise.all(Array.from(this.#unsure, async ([key, id]) => [key, await id] as const)));
    const failed = await sendKept(sender, this.#kept, (sale, id) => {
      kept.sent++;
      const known = before.get(sale.key);
      if (known !== undefined) kept.knownBefore++;
      if (known !== undefined && known !== id) this.record.otherIds++;
      this.record.acknowledge(sale, id);
    });
    this.#unacknowledged += failed;
    this.#say(
      this.nowMs,
      `store ${store.id} has caught up: ${kept.sent} sent, ${kept.knownBefore} of them known before`,
    );
  }

  async #sendOther(event: OtherEvent): Promise<void> {
    const album = event.kind === "review" ? this.#albums.get(event.album) : undefined;
    if (event.kind === "review" && album === undefined) return;
    const request = event.kind === "review" ? event.requestOf(album?.id ?? "", album?.atMs ?? 0) : event.request;
    const response = await this.#playing.sender.send(request, event.key);
    if (response === undefined) return;
    this.record.others++;
    if (event.kind === "album") this.#albums.set(event.album, { id: response.id, atMs: Date.now() });
  }

  #begin(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  #say(atMs: number, what: string): void {
    const { store } = this.#playing.plan.outage;
    this.#playing.say(`${clockOf(atMs, store.zone)} in the ${store.zone.name}: ${what}`);
  }
}
