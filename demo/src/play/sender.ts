import { setTimeout as delay } from "node:timers/promises";
import type { ClientRequest } from "@tally/domains/workloads";
import { backOffMs } from "@tally/failures";
import { isGood, LoadClient, type Reply, type Responded } from "@tally/lab/load";

const connections = 32;
const responseWithinMs = 10_000;
const waits = { firstMs: 100, longestMs: 2000 };

/** Sends requests as a careful client does: with a key, and again with the same key until the gateway has acknowledged. */
export class Sender {
  readonly #client: LoadClient;
  #givenUp = false;
  #underWay = 0;
  #retried = 0;
  #firstRefusal: string | undefined;
  #refused = 0;

  constructor(url: string) {
    this.#client = new LoadClient(url, { connections, responseWithinMs, keepText: true });
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
  async send(request: ClientRequest, key?: string): Promise<Responded | undefined> {
    this.#underWay++;
    try {
      for (let failures = 1; !this.#givenUp; failures++) {
        const reply = await this.once(request, key);
        if (isGood(reply)) return reply;
        if (isFinal(reply)) {
          this.#refuse(request, reply);
          return undefined;
        }
        await delay(backOffMs(failures, waits));
        if (!this.#givenUp) this.#retried++;
      }
      return undefined;
    } finally {
      this.#underWay--;
    }
  }

  /** One try. Never rejects. */
  once(request: ClientRequest, key?: string): Promise<Reply> {
    return this.#client.send(request, { key });
  }

  /** Ends all retries. */
  giveUp(): void {
    this.#givenUp = true;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #refuse({ method, path }: ClientRequest, { status, text }: Responded): void {
    this.#refused++;
    this.#firstRefusal ??= `${method} ${path}: ${status} ${text.slice(0, 300)}`;
  }
}

/** Whether the same request will get the same error again. */
function isFinal(reply: Reply): reply is Responded {
  return reply.name === "responded" && reply.status < 500 && ![408, 429].includes(reply.status);
}
