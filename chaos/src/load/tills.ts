import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Domain, ClientRequest } from "@tally/pipeline";
import { Random } from "../random.ts";
import { Client, type Reply } from "./client.ts";
import { FigureSheet } from "./figure-sheet.ts";
import { IdFiles } from "./id-files.ts";
import { Mix, type Posting } from "./mix.ts";
import type { DomainTotals, LoadPlan, Totals } from "./protocol.ts";

/*
 * Clients as a careful one would be: every event has a key of its own and is sent with it again and again, to one gateway after
 * the other, until it is answered 2xx; the id it was given is written down then. Some are sent once more although they were
 * answered, and some to two gateways at once: neither may change anything.
 */

const tickMs = 5;
const finishWithinMs = 60_000;
const repeatedOf = 50;
const twinOf = 100;
const waitMinMs = 50;
const waitMaxMs = 800;
// A moment in which the machine did something else is not made up for.
const burstSeconds = 0.1;

export class Tills {
  readonly #plan: LoadPlan;
  readonly #random: Random;
  readonly #mix: Mix;
  readonly #clients: readonly Client[];
  readonly #sheet = new FigureSheet();
  readonly #underWay = new Set<Promise<void>>();
  readonly #files: IdFiles;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #due = 0;
  #tickedAt = performance.now();
  #finishing = false;
  #givenUp = false;
  readonly #totals = { acknowledged: 0, unknown: 0, repeated: 0, otherIds: 0, refused: 0 };
  readonly #ofDomains = new Map<string, DomainTotals>();
  #firstRefusal: string | undefined;

  constructor(plan: LoadPlan, domains: readonly Domain[]) {
    this.#plan = plan;
    this.#random = new Random(plan.seed);
    this.#mix = new Mix(domains, this.#random, plan.spread);
    this.#clients = plan.urls.map((url) => new Client(url, plan.tills));
    this.#files = new IdFiles(plan.directory, plan.domains);
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  figures() {
    return this.#sheet.read();
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
      const reply = await this.#clientAt(gateway).post(posting.request, key);
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
    const giveUp = setTimeout(() => (this.#givenUp = true), finishWithinMs);
    await Promise.all(this.#underWay);
    clearTimeout(giveUp);
    clearInterval(this.#timer);
    for (const client of this.#clients) client.close();
    await this.#files.close();
    const domains = this.#plan.domains.flatMap((name) => this.#ofDomains.get(name) ?? []);
    return { seconds, ...this.#totals, domains, firstRefusal: this.#firstRefusal };
  }

  #tick(): void {
    const now = performance.now();
    const { eventsPerSecond, tills } = this.#plan;
    this.#due += ((now - this.#tickedAt) / 1000) * eventsPerSecond;
    this.#due = Math.min(this.#due, eventsPerSecond * burstSeconds);
    this.#tickedAt = now;
    while (this.#due >= 1 && !this.#finishing && this.#underWay.size < tills) {
      this.#due--;
      const sale = this.#sell().finally(() => this.#underWay.delete(sale));
      this.#underWay.add(sale);
    }
  }

  async #sell(): Promise<void> {
    const posting = this.#mix.next();
    const { request } = posting;
    const key = randomUUID();
    let gateway = this.#random.integer(0, this.#clients.length - 1);
    const twin = this.#random.integer(1, twinOf) === 1 ? this.#attempt(gateway + 1, request, key) : undefined;
    let waitMs = waitMinMs;
    let id: string | undefined;
    while (id === undefined && !this.#givenUp) {
      const reply = await this.#attempt(gateway, request, key);
      if (isGood(reply)) {
        id = reply.id;
        break;
      }
      await delay(waitMs * (0.5 + this.#random.fraction()));
      waitMs = Math.min(waitMs * 2, waitMaxMs);
      gateway++;
    }
    const other = await twin;
    if (id === undefined) {
      this.#totals.unknown++;
      return;
    }
    this.#acknowledge(id, posting);
    if (other !== undefined) this.#compare(id, other);
    if (this.#random.integer(1, repeatedOf) === 1) this.#compare(id, await this.#attempt(gateway + 1, request, key));
  }

  async #attempt(gateway: number, request: ClientRequest, key: string): Promise<Reply> {
    const sentAt = performance.now();
    const reply = await this.#clientAt(gateway).post(request, key);
    this.#sheet.reply(reply, performance.now() - sentAt);
    if (reply.name === "answered" && reply.status >= 300 && reply.status !== 503) {
      this.#totals.refused++;
      this.#firstRefusal ??= `${reply.status} ${reply.text.slice(0, 200)}`;
    }
    return reply;
  }

  #compare(id: string, reply: Reply): void {
    this.#totals.repeated++;
    if (isGood(reply) && reply.id !== id) this.#totals.otherIds++;
  }

  #acknowledge(id: string, posting: Posting): void {
    const { domain, request } = posting;
    const before = this.#ofDomains.get(domain) ?? { domain, acknowledged: 0, units: 0 };
    const units = before.units === undefined || request.units === undefined ? undefined : before.units + request.units;
    this.#ofDomains.set(domain, { domain, acknowledged: before.acknowledged + 1, units });
    this.#totals.acknowledged++;
    this.#sheet.acknowledged();
    this.#files.add(domain, id);
    this.#mix.acknowledged(posting, id);
  }

  #clientAt(gateway: number): Client {
    const client = this.#clients[gateway % this.#clients.length];
    if (client === undefined) throw new TypeError("at least one gateway is needed");
    return client;
  }
}

function isGood(reply: Reply): reply is Extract<Reply, { name: "answered" }> {
  return reply.name === "answered" && reply.status >= 200 && reply.status < 300;
}
