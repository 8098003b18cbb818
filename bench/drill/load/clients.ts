import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { domains as allDomains } from "@tally/domains";
import { isGood, Mix, Random, workloadOf } from "../../kit/index.ts";
import type { Corrections, Posting, Reply, Workload } from "../../kit/index.ts";
import { eventsOfBulk, sendInParts } from "./bulk-in-parts.ts";
import { Sender, type LoadPlan, type Totals } from "./sender.ts";

/*
 * Clients that retry correctly, with deliberate mistakes. Each event is sent with its own key to one gateway after the
 * other until it gets a 2xx; then its id and content are recorded. Some events are sent again, or to two gateways at
 * once: neither may change anything. Some keys are used again for another event: the gateway must reject it, or the
 * writer must keep it as a dead letter. Some events travel in bulk requests of which a part is sent again. Some sales
 * are taken back, half of them before they are sent.
 */

const tickMs = 5;
// One event in this many.
const oneIn = { repeated: 50, twin: 100, reused: 50, bulk: 50, corrected: 20 };
// Longer than the drill's gateways remember a key.
const forgottenAfterMs = 1500;
// After a stall, at most this much load is sent late.
const burstSeconds = 0.1;

export class Clients {
  readonly #plan: LoadPlan;
  readonly #random: Random;
  readonly #mix: Mix;
  readonly #sender: Sender;
  readonly #bulkWorkloads: readonly Workload[];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #due = 0;
  #tickedAt = performance.now();
  #isHeld = false;
  #isFinishing = false;

  constructor(plan: LoadPlan) {
    const domains = allDomains.filter(({ name }) => plan.domains.includes(name));
    this.#plan = plan;
    this.#random = new Random(plan.seed);
    const workloads = domains.map(({ name }) => workloadOf(name));
    this.#mix = new Mix(workloads, this.#random, "narrow");
    this.#sender = new Sender(plan, domains, this.#random);
    this.#bulkWorkloads = workloads.filter(({ bulk }) => bulk !== undefined);
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  figures() {
    return this.#sender.figures();
  }

  /** While held, the load starts no events but those of `probe`. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#sender.hold(isHeld);
  }

  /** Sends one event of each domain to the gateway with this index until all are acknowledged; their ids. */
  probe(gateway: number): Promise<readonly string[]> {
    const acknowledged = this.#mix.nextOfEach().map(async (posting) => {
      const key = randomUUID();
      for (;;) {
        const reply = await this.#sender.probe(gateway, posting.request, key);
        if (isGood(reply)) {
          this.#acknowledge(reply.id, posting);
          return reply.id;
        }
        await delay(20);
      }
    });
    return Promise.all(acknowledged);
  }

  /** These acknowledged events exist no more: ends the events that refer to them. */
  forget(ids: readonly string[]): void {
    this.#mix.forget(ids);
  }

  /** Starts no more events, waits for those in flight, closes the file. */
  async finish(): Promise<Totals> {
    this.#isFinishing = true;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const giveUp = setTimeout(() => this.#sender.giveUp(), this.#plan.finishWithinMs);
    await Promise.all(this.#inFlight);
    clearTimeout(giveUp);
    clearInterval(this.#timer);
    return { seconds, ...(await this.#sender.close()) };
  }

  #tick(): void {
    const now = performance.now();
    const { eventsPerSecond, inFlightMax } = this.#plan;
    this.#due += ((now - this.#tickedAt) / 1000) * eventsPerSecond;
    this.#due = Math.min(this.#due, eventsPerSecond * burstSeconds);
    this.#tickedAt = now;
    if (this.#isHeld) return;
    while (this.#due >= 1 && !this.#isFinishing && this.#inFlight.size < inFlightMax) {
      this.#due--;
      const [bulk] = this.#random.once(oneIn.bulk) ? this.#random.shuffled(this.#bulkWorkloads) : [];
      const work = bulk === undefined ? this.#send() : this.#sendBulk(bulk);
      const sent = work.finally(() => this.#inFlight.delete(sent));
      this.#inFlight.add(sent);
    }
  }

  async #sendBulk(workload: Workload): Promise<void> {
    const outcome = await sendInParts(this.#sender, workload);
    // Any of its entries may be stored.
    if (outcome === "unknown") this.#sender.totals.unknown += eventsOfBulk;
  }

  async #send(): Promise<void> {
    const posting = this.#mix.next();
    const { request } = posting;
    const key = randomUUID();
    const gateway = this.#sender.anyGateway();
    const twin = this.#random.once(oneIn.twin) ? this.#sender.attempt(gateway + 1, request, key) : undefined;
    const isOver = (one: Reply): boolean => isGood(one) || this.#mix.isForgotten(posting.refersTo);
    const corrections = this.#random.once(oneIn.corrected)
      ? request.corrections?.(key, this.#random.fraction)
      : undefined;
    const early = corrections && this.#random.once(2) ? this.#correct(posting.domain, corrections) : undefined;
    const reply = await this.#sender.until(gateway, request, key, isOver);
    const other = await twin;
    if (reply === undefined || !isGood(reply)) {
      this.#sender.totals.unknown++;
      return;
    }
    const { id } = reply;
    this.#acknowledge(id, posting);
    if (corrections !== undefined) {
      const ids = await (early ?? this.#correct(posting.domain, corrections));
      if (corrections.isOneRefused && ids.length === corrections.requests.length)
        this.#sender.totals.refusedAmong.push([id, ...ids]);
    }
    if (other !== undefined) this.#sender.compareIds(id, isGood(other) ? other.id : undefined);
    if (this.#random.once(oneIn.repeated)) {
      const again = await this.#sender.attempt(gateway + 1, request, key);
      this.#sender.compareIds(id, isGood(again) ? again.id : undefined);
    }
    if (this.#random.once(oneIn.reused)) await this.#reuse(key, id, posting);
  }

  /** Sends what takes an event back, all at once. Returns the ids of those that were acknowledged. */
  async #correct(domain: string, { requests }: Corrections): Promise<readonly string[]> {
    const ids = await Promise.all(
      requests.map(async (request) => {
        const reply = await this.#sender.until(this.#sender.anyGateway(), request, randomUUID(), isGood);
        if (reply === undefined || !isGood(reply)) {
          this.#sender.totals.unknown++;
          return [];
        }
        this.#sender.acknowledge(domain, reply.id, request);
        return [reply.id];
      }),
    );
    return ids.flat();
  }

  /** Sends another event with the key of an acknowledged one: at once, for a 422, or when the key is forgotten. */
  async #reuse(key: string, id: string, { domain, request }: Posting): Promise<void> {
    const other = request.other?.();
    if (other === undefined) return;
    if (this.#random.once(2)) await delay(forgottenAfterMs);
    const reply = await this.#sender.attempt(this.#sender.anyGateway(), other, key, [422]);
    if (reply.name !== "responded") return;
    if (reply.status === 422) this.#sender.totals.reused.rejected++;
    else if (isGood(reply)) {
      this.#sender.totals.reused.acknowledged++;
      this.#sender.compareIds(id, reply.id);
      this.#sender.file.add(domain, reply.id, other.content?.());
    }
  }

  #acknowledge(id: string, posting: Posting): void {
    this.#sender.acknowledge(posting.domain, id, posting.request);
    this.#mix.acknowledged(posting, id);
  }
}
