import { setTimeout as delay } from "node:timers/promises";
import type { ClientRequest } from "@tally/domains/workloads";
import { LoadClient, type Random, Recorder, type Reply, type Responded } from "../../kit/index.ts";
import type { Domain } from "@tally/contract";
import { AcknowledgedFiles } from "./acknowledged-files.ts";
import type { DomainTotals, Figures, LoadPlan, Totals } from "./protocol.ts";

const responseWithinMs = 10_000;
// Statuses after which a client sends again: what the request needs does not respond, or a client that was stopped sent its body too late.
const retried = [408, 503];
const waitMinMs = 50;
const waitMaxMs = 800;

/** An event with its first 2xx. */
export interface Acknowledged {
  readonly domain: string;
  readonly id: string;
  readonly units: number | undefined;
  readonly content: (() => Readonly<Record<string, unknown>>) | undefined;
}

/** Sends requests to the gateways, and records what was acknowledged. */
export class Sender {
  readonly random: Random;
  readonly totals = { acknowledged: 0, unknown: 0, repeated: 0, otherIds: 0, rejected: 0, partialRetries: 0 };
  readonly reused = { rejected: 0, acknowledged: 0 };
  readonly #ofDomains = new Map<string, DomainTotals>();
  readonly #clients: readonly LoadClient[];
  readonly #files: AcknowledgedFiles;
  #recorder = new Recorder();
  #acknowledgedBefore = 0;
  #firstRejection: string | undefined;
  #givenUp = false;

  constructor(plan: LoadPlan, domains: readonly Domain[], random: Random) {
    this.random = random;
    const options = { connections: plan.inFlightMax, responseWithinMs, keepText: true };
    this.#clients = plan.urls.map((url) => new LoadClient(url, options));
    this.#files = new AcknowledgedFiles(plan.directory, domains);
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
    this.#recorder.record(reply, false);
    if (reply.name === "responded" && reply.status >= 300 && ![...retried, ...expected].includes(reply.status)) {
      this.totals.rejected++;
      this.#firstRejection ??= `${reply.status} ${reply.text.slice(0, 200)}`;
    }
    return reply;
  }

  /** Sends a request once to one gateway, without counting it. */
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
    let waitMs = waitMinMs;
    for (let attempts = 1; !this.#givenUp; attempts++) {
      const reply = await this.attempt(gateway + attempts - 1, request, key, expected);
      if (reply.name === "responded" && isOver(reply)) return { ...reply, attempts };
      await delay(waitMs * (0.5 + this.random.fraction()));
      waitMs = Math.min(waitMs * 2, waitMaxMs);
    }
    return undefined;
  }

  acknowledge({ domain, id, units, content }: Acknowledged): void {
    const before = this.#ofDomains.get(domain) ?? { domain, acknowledged: 0, units: 0 };
    const sum = before.units === undefined || units === undefined ? undefined : before.units + units;
    this.#ofDomains.set(domain, { domain, acknowledged: before.acknowledged + 1, units: sum });
    this.totals.acknowledged++;
    this.#files.addId(id);
    this.recordContent(domain, id, content);
  }

  /** Records that an event id was acknowledged with this content. */
  recordContent(domain: string, id: string, content: Acknowledged["content"]): void {
    this.#files.addContent(domain, id, content?.());
  }

  compareIds(id: string, other: string | undefined): void {
    this.totals.repeated++;
    if (other !== undefined && other !== id) this.totals.otherIds++;
  }

  /** The figures since the last call. */
  figures(): Figures {
    const { statuses, connectionErrors, timeouts, longestGapMs, slowestMs } = this.#recorder.result();
    const acknowledged = this.totals.acknowledged - this.#acknowledgedBefore;
    this.#recorder = new Recorder();
    this.#acknowledgedBefore = this.totals.acknowledged;
    return { acknowledged, statuses, broken: connectionErrors, silent: timeouts, longestGapMs, slowestMs };
  }

  /** While held, the load begins no events. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#recorder.pause();
    else this.#recorder.resume();
  }

  /** Ends all retries after their next reply. */
  giveUp(): void {
    this.#givenUp = true;
  }

  async close(): Promise<Omit<Totals, "seconds">> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.#files.close();
    const { totals, reused } = this;
    return { ...totals, reused, domains: [...this.#ofDomains.values()], firstRejection: this.#firstRejection };
  }
}
