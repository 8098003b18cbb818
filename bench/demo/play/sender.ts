import { createPurchaseSender, retryingFetch, TallyClientError, type PurchaseSender } from "@tally/client";
import type { ClientRequest } from "@tally/domains/workloads";

export interface GatewayAddress {
  readonly url: string;
  /** Undefined: the gateway requires none. */
  readonly apiKey: string | undefined;
}

/** A 2xx. `id`: of the event. */
export interface Acknowledged {
  readonly id: string;
}

const attemptMs = 10_000;
const backOff = { firstDelayMs: 100, longestDelayMs: 2000 };
// The gateway takes 1,000 entries; smaller requests show progress.
const bulkEntriesMax = 250;

/** Sends requests as a careful client does: with a key, and again with the same key until the gateway has acknowledged. */
export class Sender {
  readonly #gateway: GatewayAddress;
  readonly #givenUp = new AbortController();
  #underWay = 0;
  #retried = 0;
  #firstRefusal: string | undefined;
  #refused = 0;

  constructor(gateway: GatewayAddress) {
    this.#gateway = gateway;
  }

  /** Requests that are sent and not over, with those that wait to be sent again. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Requests that were sent again. */
  get retried(): number {
    return this.#retried;
  }

  /** Requests that the gateway rejects, however often they are sent, and the first response. */
  get refusals(): { readonly count: number; readonly first: string | undefined } {
    return { count: this.#refused, first: this.#firstRefusal };
  }

  /** Resolves with the 2xx. Undefined: rejected, or given up. */
  async send(request: ClientRequest, key: string): Promise<Acknowledged | undefined> {
    this.#underWay++;
    let attempts = 0;
    const call = retryingFetch({
      attemptsMax: Infinity,
      withinMs: Infinity,
      attemptMs,
      ...backOff,
      fetch: (url, init) => {
        if (++attempts > 1) this.#retried++;
        return fetch(url, init);
      },
    });
    try {
      const response = await call(this.#requestOf(request, key));
      if (response.ok) return acknowledged(response);
      this.refuse(`${request.method} ${request.path}: ${response.status} ${(await response.text()).slice(0, 300)}`);
      return undefined;
    } catch (error) {
      if (this.#givenUp.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#underWay--;
    }
  }

  /** One try, for a client that does not get the response. Undefined: not acknowledged. */
  async once(request: ClientRequest, key: string): Promise<Acknowledged | undefined> {
    try {
      const response = await retryingFetch({ attemptsMax: 1, attemptMs })(this.#requestOf(request, key));
      return response.ok ? acknowledged(response) : undefined;
    } catch (error) {
      if (error instanceof TallyClientError || this.#givenUp.signal.aborted) return undefined;
      throw error;
    }
  }

  /** A sender of up to `purchasesMax` purchases in bulk requests. */
  bulk(purchasesMax: number): PurchaseSender {
    const sender = createPurchaseSender({
      baseUrl: this.#gateway.url,
      apiKey: this.#gateway.apiKey,
      eventsMax: purchasesMax,
      bytesMax: Infinity,
      entriesPerRequestMax: bulkEntriesMax,
      attemptMs,
      ...backOff,
      onRejected: ({ status, error }) => this.refuse(`POST /purchases: ${status} ${error}`),
      fetch: (url, init) => {
        // After a failure the same purchases are sent first.
        if (sender.problem !== undefined) this.#retried++;
        return fetch(url, init);
      },
    });
    return sender;
  }

  /** Counts a request that will never be accepted. */
  refuse(reason: string): void {
    this.#refused++;
    this.#firstRefusal ??= reason;
  }

  /** Aborted: the end of all retries. */
  get givenUp(): AbortSignal {
    return this.#givenUp.signal;
  }

  giveUp(): void {
    this.#givenUp.abort();
  }

  #requestOf({ method, path, body, contentType = "application/json" }: ClientRequest, key: string): Request {
    const { url, apiKey } = this.#gateway;
    const headers = new Headers({ "idempotency-key": key });
    if (body !== undefined) headers.set("content-type", contentType);
    if (apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
    return new Request(url + path, { method, headers, body: body ?? null, signal: this.#givenUp.signal });
  }
}

function acknowledged(response: Response): Acknowledged {
  return { id: response.headers.get("tally-event-id") ?? "" };
}
