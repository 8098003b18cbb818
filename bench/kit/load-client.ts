import { performance } from "node:perf_hooks";
import { Client, errors, Pool, type Dispatcher } from "undici";
import type { ClientRequest } from "./workloads/workload.ts";

/** The outcome of one request. `ms`: the time since it was due. broken: the connection was refused, or ended before the
 * response. silent: no response in time. */
export type Reply = Responded | { readonly name: "broken" | "silent"; readonly ms: number };

export interface Responded {
  readonly name: "responded";
  readonly status: number;
  /** The event's; empty without one, as for a GET. */
  readonly id: string;
  /** The body; empty where the client does not keep it. */
  readonly text: string;
  readonly ms: number;
}

export function isGood(reply: Reply): reply is Responded {
  return reply.name === "responded" && reply.status >= 200 && reply.status < 300;
}

interface LoadClientOptions {
  /** The most connections. A request waits while all of them have one. */
  readonly connections: number;
  readonly responseWithinMs: number;
  /** Keep the bodies of responses, which costs CPU time. */
  readonly keepText?: boolean;
}

/** Sends requests to one gateway over keep-alive connections, each with one request at a time. */
export class LoadClient {
  readonly #options: LoadClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(url: string, options: LoadClientOptions) {
    this.#options = options;
    const { connections, responseWithinMs } = options;
    const timeouts = { headersTimeout: responseWithinMs, bodyTimeout: responseWithinMs };
    this.#dispatcher =
      connections === 1 ? new Client(url, timeouts) : new Pool(url, { ...timeouts, connections, pipelining: 1 });
  }

  /** Opens all connections, each with a request. A server that does not respond shows in the load. */
  async connect(): Promise<void> {
    const live = { method: "GET", path: "/health/live" } as const;
    await Promise.all(Array.from({ length: this.#options.connections }, () => this.send(live)));
  }

  /** Never rejects. `dueAt`: from when the time counts, in ms of performance.now(). `key`: the idempotency key. */
  send(
    { method, path, body, contentType = "application/json" }: ClientRequest,
    { dueAt = performance.now(), key }: { readonly dueAt?: number; readonly key?: string | undefined } = {},
  ): Promise<Reply> {
    const { responseWithinMs, keepText = false } = this.#options;
    const headers = body === undefined ? [] : ["content-type", contentType];
    if (key !== undefined) headers.push("idempotency-key", key);
    return new Promise((resolve) => {
      let status = 0;
      let id = "";
      const parts: Buffer[] = [];
      this.#dispatcher.dispatch(
        { method, path, body: body ?? null, headers },
        {
          onRequestStart: () => undefined,
          onResponseStart(_controller, statusCode, responseHeaders) {
            status = statusCode;
            const value = responseHeaders["tally-event-id"];
            if (typeof value === "string") id = value;
          },
          onResponseData(_controller, part) {
            if (keepText) parts.push(part);
          },
          onResponseEnd() {
            const ms = performance.now() - dueAt;
            resolve({ name: "responded", status, id, text: keepText ? Buffer.concat(parts).toString() : "", ms });
          },
          onResponseError(_controller, error) {
            const waitedMs = performance.now() - dueAt;
            const isLate = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
            // A request that still waits for a connection when the load ends has waited too long as well.
            const isSilent = isLate || waitedMs >= responseWithinMs;
            resolve(
              isSilent
                ? { name: "silent", ms: Math.max(responseWithinMs, waitedMs) }
                : { name: "broken", ms: waitedMs },
            );
          },
        },
      );
    });
  }

  /** Ends its connections; requests without a response are broken or silent. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** Asks a gateway where an event is. Rejects without a response in time. */
export async function eventState(url: string, id: string, withinMs: number, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/events/${id}`, { headers, signal: AbortSignal.timeout(withinMs) });
  const { stored = false, ranked = false }: { stored?: boolean; ranked?: boolean } = JSON.parse(await response.text());
  return { stored, ranked };
}
