import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { workloadOf, type ClientRequest, type Workload } from "@tally/domains/workloads";
import type { Domain } from "@tally/pipeline";
import { Random } from "../random.ts";
import { eventsOfBulkSale, sellInBulk } from "./bulk-sale.ts";
import { Mix, type Posting } from "./mix.ts";
import type { LoadPlan, Totals } from "./protocol.ts";
import { isGood, Sender } from "./sender.ts";

/*
 * Careful clients, and some careless ones. Every event has its own key. It is sent with it to one gateway after the other until it is
 * answered 2xx; then its id and content are written down. Some events are sent once more after their 2xx, and some to two gateways at once:
 * neither may change anything. Some keys are used again for another event: it must be rejected, or be kept as a dead letter. Some events
 * travel in bulk requests of which a part is sent again.
 */

const tickMs = 5;
const finishWithinMs = 60_000;
const repeatedOf = 50;
const twinOf = 100;
const reusedOf = 50;
const bulkOf = 50;
// Longer than the drill's gateways remember a key.
const forgottenAfterMs = 1500;
// A moment in which the machine did something else is not made up for.
const burstSeconds = 0.1;

export class Tills {
  readonly #plan: LoadPlan;
  readonly #random: Random;
  readonly #mix: Mix;
  readonly #sender: Sender;
  readonly #bulkWorkloads: readonly Workload[];
  readonly #underWay = new Set<Promise<void>>();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #due = 0;
  #tickedAt = performance.now();
  #finishing = false;

  constructor(plan: LoadPlan, domains: readonly Domain[]) {
    this.#plan = plan;
    this.#random = new Random(plan.seed);
    const workloads = domains.map(({ name }) => workloadOf(name));
    this.#mix = new Mix(workloads, this.#random, plan.spread);
    this.#sender = new Sender(plan, domains, this.#random);
    this.#bulkWorkloads = workloads.filter(({ bulk }) => bulk !== undefined);
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  figures() {
    return this.#sender.sheet.read();
  }

  /**
   * Sends one event of each domain to one gateway until all are acknowledged; resolves with their ids. They count among the events, not
   * among the figures.
   */
  probe(gateway: number): Promise<readonly string[]> {
    return Promise.all(this.#mix.nextOfEach().map((posting) => this.#probe(gateway, posting)));
  }

  async #probe(gateway: number, posting: Posting): Promise<string> {
    const key = randomUUID();
    for (;;) {
      const reply = await this.#sender.probe(gateway, posting.request, key);
      if (isGood(reply)) {
        this.#acknowledge(reply.id, posting);
        return reply.id;
      }
      await delay(20);
    }
  }

  async finish(): Promise<Totals> {
    this.#finishing = true;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const giveUp = setTimeout(() => this.#sender.giveUp(), finishWithinMs);
    await Promise.all(this.#underWay);
    clearTimeout(giveUp);
    clearInterval(this.#timer);
    await this.#sender.close();
    const { totals, reused, ofDomains, firstRefusal } = this.#sender;
    const domains = this.#plan.domains.flatMap((name) => ofDomains.get(name) ?? []);
    return { seconds, ...totals, reused, domains, firstRefusal };
  }

  #tick(): void {
    const now = performance.now();
    const { eventsPerSecond, tills } = this.#plan;
    this.#due += ((now - this.#tickedAt) / 1000) * eventsPerSecond;
    this.#due = Math.min(this.#due, eventsPerSecond * burstSeconds);
    this.#tickedAt = now;
    while (this.#due >= 1 && !this.#finishing && this.#underWay.size < tills) {
      this.#due--;
      const [bulk] = this.#random.integer(1, bulkOf) === 1 ? this.#random.shuffled(this.#bulkWorkloads) : [];
      const work = bulk === undefined ? this.#sell() : this.#sellInBulk(bulk);
      const sale = work.finally(() => this.#underWay.delete(sale));
      this.#underWay.add(sale);
    }
  }

  async #sellInBulk(workload: Workload): Promise<void> {
    const sold = await sellInBulk(this.#sender, workload, this.#plan.spread);
    // Any of its entries may be stored.
    if (sold === "unknown") this.#sender.totals.unknown += eventsOfBulkSale;
  }

  async #sell(): Promise<void> {
    const posting = this.#mix.next();
    const { request } = posting;
    const key = randomUUID();
    const gateway = this.#sender.anyGateway();
    const twin = this.#random.integer(1, twinOf) === 1 ? this.#sender.attempt(gateway + 1, request, key) : undefined;
    const reply = await this.#sender.until(gateway, request, key, isGood);
    const other = await twin;
    if (reply === undefined) {
      this.#sender.totals.unknown++;
      return;
    }
    const { id } = reply;
    this.#acknowledge(id, posting);
    if (other !== undefined) this.#sender.compareIds(id, isGood(other) ? other.id : undefined);
    if (this.#random.integer(1, repeatedOf) === 1) {
      const again = await this.#sender.attempt(gateway + 1, request, key);
      this.#sender.compareIds(id, isGood(again) ? again.id : undefined);
    }
    if (this.#random.integer(1, reusedOf) === 1) await this.#reuse(key, id, posting);
  }

  /** Sends another event with the key of an acknowledged one: at once, when it is 422, or when the gateways have forgotten the key. */
  async #reuse(key: string, id: string, { domain, request }: Posting): Promise<void> {
    const other: ClientRequest | undefined = request.other?.();
    if (other === undefined) return;
    if (this.#random.integer(0, 1) === 1) await delay(forgottenAfterMs);
    const reply = await this.#sender.attempt(this.#sender.anyGateway(), other, key, [422]);
    if (reply.name !== "answered") return;
    if (reply.status === 422) this.#sender.reused.rejected++;
    else if (isGood(reply)) {
      this.#sender.reused.acknowledged++;
      this.#sender.compareIds(id, reply.id);
      this.#sender.noteContent(domain, reply.id, other.content);
    }
  }

  #acknowledge(id: string, posting: Posting): void {
    const { domain, request } = posting;
    this.#sender.acknowledge({ domain, id, units: request.units, content: request.content });
    this.#mix.acknowledged(posting, id);
  }
}
