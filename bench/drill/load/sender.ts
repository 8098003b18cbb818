import { setTimeout as delay } from "node:timers/promises";
import { isGood, LoadClient } from "../../kit/index.ts";
import type { ClientRequest, Random, Reply, Responded } from "../../kit/index.ts";
import type { Domain } from "@tally/contract";
import { backOffMs } from "@tally/runtime";
import { AcknowledgedFile } from "./acknowledged-file.ts";

/** The parameters of a load; the workerData of its thread. */
export interface LoadPlan {
  /** The gateways. Each event goes to one of them, and to the next one when that fails. */
  readonly urls: readonly string[];
  /** Names; all get the same share of events. */
  readonly domains: readonly string[];
  readonly eventsPerSecond: number;
  /** No event is started while this many wait for their response. */
  readonly inFlightMax: number;
  /** After its last event a load waits this long for responses before it gives up. */
  readonly finishWithinMs: number;
  readonly seed: number;
  /** Where the file of AcknowledgedFile is written. */
  readonly directory: string;
}

/** What was acknowledged in the whole load, and how its deliberate mistakes ended. */
export type Totals = Awaited<ReturnType<Sender["close"]>> & { readonly seconds: number };

const responseWithinMs = 10_000;
// Statuses after which a client sends again: what the request needs does not respond, or a client that was stopped sent
// its body too late.
const retried = [408, 503];

interface DomainTotals {
  readonly domain: string;
  /** First 2xx of each POST. There are fewer events where equal content is the same event. */
  readonly acknowledged: number;
  /** Units that they add to all boards; undefined where that depends on other POSTs. */
  readonly units: number | undefined;
}

/** Sends requests to the gateways, and records what was acknowledged. */
export class Sender {
  readonly random: Random;
  readonly totals = {
    acknowledged: 0,
    /** Events without a 2xx after all retries: they may be stored or not. */
    unknown: 0,
    /** Events that were sent again after their 2xx, or to two gateways at once. */
    repeated: 0,
    /** Repetitions whose id differs from the event's. */
    otherIds: 0,
    /** Responses other than 2xx, 408, 503 and the expected ones. */
    rejected: 0,
    /** Bulk requests of which a part was sent again. */
    partialRetries: 0,
    /** Requests with another event and the key of an acknowledged one, by outcome. */
    reused: { rejected: 0, acknowledged: 0 },
    /** Ids of acknowledged sales and their corrections, one of which must be a dead letter. */
    refusedAmong: [] as (readonly string[])[],
  };
  readonly #ofDomains = new Map<string, DomainTotals>();
  readonly #clients: readonly LoadClient[];
  readonly file: AcknowledgedFile;
  #figures = noFigures();
  #lastGoodAt = performance.now();
  #firstRejection: string | undefined;
  #givenUp = false;

  constructor(plan: LoadPlan, domains: readonly Domain[], random: Random) {
    this.random = random;
    const options = { connections: plan.inFlightMax, responseWithinMs, keepText: true };
    this.#clients = plan.urls.map((url) => new LoadClient(url, options));
    this.file = new AcknowledgedFile(plan.directory, domains);
  }

  anyGateway(): number {
    return this.random.integer(0, this.#clients.length - 1);
  }

  /** Sends a request once to one gateway. A status other than 2xx, 408, 503 and `expected` counts as rejected. */
  async attempt(
    gateway: number,
    request: ClientRequest,
    key: string | undefined,
    expected: readonly number[] = [],
  ): Promise<Reply> {
    const reply = await this.probe(gateway, request, key);
    if (isGood(reply)) this.#endGap();
    if (reply.name !== "responded") {
      this.#figures.broken++;
      return reply;
    }
    const { status, text } = reply;
    this.#figures.statuses[status] = (this.#figures.statuses[status] ?? 0) + 1;
    if (status >= 300 && ![...retried, ...expected].includes(status)) {
      this.totals.rejected++;
      this.#firstRejection ??= `${status} ${text.slice(0, 200)}`;
    }
    return reply;
  }

  /** Sends a request once to one gateway; the figures do not count it. */
  probe(gateway: number, request: ClientRequest, key: string | undefined): Promise<Reply> {
    const client = this.#clients[gateway % this.#clients.length];
    if (client === undefined) throw new TypeError("at least one gateway is needed");
    return client.send(request, { key });
  }

  /** Tries the gateways in turn until `isOver`; undefined when the load ends first. `expected`: see attempt. */
  async until(
    gateway: number,
    request: ClientRequest,
    key: string | undefined,
    isOver: (reply: Responded) => boolean,
    expected: readonly number[] = [],
  ): Promise<(Responded & { readonly attempts: number }) | undefined> {
    for (let attempts = 1; !this.#givenUp; attempts++) {
      const reply = await this.attempt(gateway + attempts - 1, request, key, expected);
      if (reply.name === "responded" && isOver(reply)) return { ...reply, attempts };
      await delay(backOffMs(attempts, "unavailable"));
    }
    return undefined;
  }

  /** The event of a request got its first 2xx. */
  acknowledge(domain: string, id: string, { units, content }: Pick<ClientRequest, "units" | "content">): void {
    const before = this.#ofDomains.get(domain) ?? { domain, acknowledged: 0, units: 0 };
    const sum = before.units === undefined || units === undefined ? undefined : before.units + units;
    this.#ofDomains.set(domain, { domain, acknowledged: before.acknowledged + 1, units: sum });
    this.totals.acknowledged++;
    this.#figures.acknowledged++;
    this.file.add(domain, id, content?.());
  }

  compareIds(id: string, other: string | undefined): void {
    this.totals.repeated++;
    if (other !== undefined && other !== id) this.totals.otherIds++;
  }

  /** What clients saw since the last call. */
  figures() {
    this.#endGap();
    const figures = this.#figures;
    this.#figures = noFigures();
    return figures;
  }

  /** While held, the load begins no events: that is no time without a 2xx. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#endGap();
    this.#lastGoodAt = isHeld ? Infinity : performance.now();
  }

  #endGap(): void {
    const now = performance.now();
    this.#figures.longestGapMs = Math.max(this.#figures.longestGapMs, now - this.#lastGoodAt);
    this.#lastGoodAt = Math.max(now, this.#lastGoodAt);
  }

  /** Ends all retries after their next reply. */
  giveUp(): void {
    this.#givenUp = true;
  }

  async close() {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.file.close();
    return { ...this.totals, domains: [...this.#ofDomains.values()], firstRejection: this.#firstRejection };
  }
}

/** `broken`: requests whose connection failed before the response, or that had none for 10 s. `longestGapMs`: the
 * longest time without a 2xx while the load was not held. */
const noFigures = () => ({ acknowledged: 0, statuses: {} as Record<string, number>, broken: 0, longestGapMs: 0 });
