import { setTimeout as delay } from "node:timers/promises";
import { aborted } from "node:util";
import { createPurchaseSender, retryingFetch, type PurchaseSender } from "@tally/client";
import { Mix, Random, workloads, type ClientRequest } from "../kit/index.ts";
import { clockOf, type Store } from "./chain.ts";
import type { DayPlan, Sale } from "./plan-day.ts";

export interface GatewayAddress {
  readonly url: string;
  /** Undefined: the gateway requires none. */
  readonly apiKey: string | undefined;
}

interface DayPlaying {
  readonly plan: DayPlan;
  readonly gateway: GatewayAddress;
  /** Seconds of the day in a second. */
  readonly speed: number;
  readonly say: (line: string) => void;
  /** Aborted: no further purchase begins. Those that wait are sent within 10 s. */
  readonly signal: AbortSignal;
}

const tickMs = 5;
const endWithinMs = 10_000;
const retries = { attemptMs: 10_000, firstDelayMs: 100, longestDelayMs: 1000 };
// One event of another domain for this many purchases, so that every view of the page has data.
const purchasesPerOther = 8;
// While the gateway is away, these are left out.
const othersUnderWayMax = 100;

/** Plays one day by its clock. Each store has its own purchase sender, as a till has. */
export class DayPlayer {
  /** The event ids of all acknowledged purchases. */
  readonly ids = new Set<string>();
  /** The event ids of all acknowledged voids and refunds. */
  readonly corrections = new Set<string>();
  /** Acknowledged events of other domains. */
  others = 0;
  /** Requests that were sent again. */
  retried = 0;
  /** Requests and purchases that the gateway will never accept. */
  readonly rejected: { count: number; first: string | undefined } = { count: 0, first: undefined };
  /** Purchases that the offline store has sent later, those that the gateway had already, those with another id. */
  readonly kept = { sent: 0, knownBefore: 0, otherIds: 0 };

  readonly #playing: DayPlaying;
  readonly #startedAt = performance.now();
  readonly #senders: ReadonlyMap<Store, PurchaseSender>;
  readonly #outageSender: PurchaseSender | undefined;
  readonly #mix: Mix;
  readonly #underWay = new Set<Promise<void>>();
  #othersUnderWay = 0;
  readonly #givenUp = new AbortController();
  /** By key: the ids of the purchases whose response was lost when the store went offline. */
  #lostIds: Map<string, string> | undefined;
  #outage: "before" | "now" | "over" = "before";
  #begun = 0;
  #endedAt: number | undefined;

  constructor(playing: DayPlaying) {
    const { plan } = playing;
    this.#playing = playing;
    this.#senders = new Map(plan.stores.map((store) => [store, this.#openSender(store)]));
    this.#outageSender = this.#senders.get(plan.outage.store);
    const others = workloads.filter(({ domain }) => domain !== "purchases");
    this.#mix = new Mix(others, new Random(plan.startsAtMs), "zipf");
  }

  /** The time of the day, in ms since 1970; the clock stops when the last purchase has begun. */
  get nowMs(): number {
    const { plan, speed } = this.#playing;
    const endedAt = this.#endedAt ?? performance.now();
    return Math.min(plan.endsAtMs, plan.startsAtMs + (endedAt - this.#startedAt) * speed);
  }

  /** Purchases without a 2xx: those that wait, and those that were rejected. */
  get unacknowledged(): number {
    return this.#begun - this.ids.size;
  }

  /** Purchases that the offline store keeps; undefined while all stores are online. */
  get keeping(): number | undefined {
    return this.#outage === "now" ? this.#outageSender?.waiting : undefined;
  }

  /** Resolves at the end of the day or after `signal`, when every purchase is acknowledged, rejected or given up. */
  async run(): Promise<void> {
    const { plan, signal } = this.#playing;
    const sales = plan.sales();
    for (let sale = sales.next(); !signal.aborted; await delay(tickMs)) {
      const now = this.nowMs;
      if (this.#outage === "before" && now >= plan.outage.fromMs) {
        this.#outage = "now";
        this.#say("is offline and keeps its purchases");
      }
      for (; sale.done !== true && sale.value.atMs <= now; sale = sales.next()) this.#sell(sale.value);
      if (this.#outage === "now" && now >= plan.outage.untilMs) this.#comeBack();
      if (now >= plan.endsAtMs) break;
    }
    this.#endedAt = performance.now();
    if (this.#outage === "now") this.#comeBack();
    void aborted(signal, this).then(() => setTimeout(() => this.#givenUp.abort(), endWithinMs).unref());
    const senders = [...this.#senders.values()];
    // A sender that the gateway rejects has reported it.
    await Promise.allSettled(senders.map((sender) => sender.flush(this.#givenUp.signal)));
    await Promise.all(senders.map((sender) => sender.close({ withinMs: 0 })));
    await Promise.all(this.#underWay);
  }

  #openSender(store: Store): PurchaseSender {
    const { gateway } = this.#playing;
    const sender = createPurchaseSender({
      baseUrl: gateway.url,
      apiKey: gateway.apiKey,
      ...retries,
      eventsMax: Infinity,
      bytesMax: Infinity,
      onRejected: ({ status, error }) => this.#reject(`POST /purchases: ${status} ${error}`),
      onProblem: (problem) => {
        if (problem?.code === "STOPPED") this.#reject(`POST /purchases: ${problem.message}`);
      },
      fetch: (url, init) => {
        // After a failure the same purchases are sent first.
        if (sender.problem !== undefined) this.retried++;
        return store === this.#playing.plan.outage.store ? this.#fetchUnsure(url, init) : fetch(url, init);
      },
    });
    return sender;
  }

  /** Sends a request of the store that goes offline. One response is lost: to the request under way then, or to the
   * first one after it. Later requests fail at once while the store is offline. */
  async #fetchUnsure(url: string, init: RequestInit): Promise<Response> {
    const before = this.#outage;
    if (before === "now" && this.#lostIds !== undefined) throw new Error("the store is offline");
    const response = await fetch(url, init);
    if (before === "over" || this.#outage === "before") return response;
    const lost = new Map<string, string>();
    this.#lostIds = lost;
    const { results = [] }: { results?: readonly { readonly id?: string }[] } = JSON.parse(await response.text());
    const lines = typeof init.body === "string" ? init.body.split("\n") : [];
    for (const [index, line] of lines.entries()) {
      const { idempotencyKey }: { readonly idempotencyKey: string } = JSON.parse(line);
      const id = results[index]?.id;
      if (id !== undefined) lost.set(idempotencyKey, id);
    }
    throw new Error("the store is offline");
  }

  #sell(sale: Sale): void {
    this.#begun++;
    this.#track(this.#sellTo(this.#senders.get(sale.store), sale));
    if (this.#begun % purchasesPerOther === 0 && this.#othersUnderWay < othersUnderWayMax)
      this.#track(this.#sendOther());
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #sellTo(sender: PurchaseSender | undefined, { purchase, takenBack }: Sale): Promise<void> {
    const isKept = this.#outage === "now" && sender === this.#outageSender;
    const added = await sender?.add(purchase);
    const settlement = await added?.settled;
    if (settlement?.outcome !== "accepted") return;
    const { id } = settlement;
    const before = this.#lostIds?.get(purchase.idempotencyKey);
    if (isKept || before !== undefined) this.kept.sent++;
    if (before !== undefined) this.kept.knownBefore++;
    if (before !== undefined && before !== id) this.kept.otherIds++;
    this.ids.add(id);
    if (takenBack === undefined) return;
    const path = `/purchases/${id}/${takenBack === "void" ? "void" : "refunds"}`;
    const { storeID, date, items, idempotencyKey } = purchase;
    const returned = items.slice(0, 1).map(({ ItemID }) => ({ line: 0, ItemID, numberOfItems: 1 }));
    const refund = takenBack === "void" ? {} : { body: JSON.stringify({ storeID, date, items: returned }) };
    const correction = await this.#post({ method: "POST", path, ...refund }, `${idempotencyKey}-${takenBack}`);
    if (correction !== undefined) this.corrections.add(correction);
  }

  async #sendOther(): Promise<void> {
    this.#othersUnderWay++;
    const posting = this.#mix.next();
    const id = await this.#post(posting.request);
    this.#othersUnderWay--;
    if (id === undefined) return;
    this.others++;
    this.#mix.acknowledged(posting, id);
  }

  /** Sends a request until it has a response. Returns the id of its event; undefined: it was rejected or given up. */
  async #post(
    { method, path, body, contentType = "application/json" }: ClientRequest,
    key?: string,
  ): Promise<string | undefined> {
    const { url, apiKey } = this.#playing.gateway;
    const headers = new Headers(body === undefined ? {} : { "content-type": contentType });
    if (apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
    if (key !== undefined) headers.set("idempotency-key", key);
    const call = retryingFetch({ ...retries, attemptsMax: Infinity, withinMs: Infinity });
    const request = new Request(url + path, { method, headers, body: body ?? null, signal: this.#givenUp.signal });
    try {
      const response = await call(request);
      if (!response.ok) {
        this.#reject(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 300)}`);
        return undefined;
      }
      return response.headers.get("tally-event-id") ?? "";
    } catch (error) {
      if (!this.#givenUp.signal.aborted) throw error;
      return undefined;
    }
  }

  #reject(reason: string): void {
    this.rejected.count++;
    this.rejected.first ??= reason;
  }

  #comeBack(): void {
    this.#outage = "over";
    this.#say(`is back and sends ${this.#outageSender?.waiting ?? 0} kept purchases`);
  }

  #say(what: string): void {
    const { id, zone } = this.#playing.plan.outage.store;
    this.#playing.say(`${clockOf(this.nowMs, zone)} in the ${zone.name}: store ${id} ${what}`);
  }
}
