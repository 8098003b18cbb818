import { setTimeout as delay } from "node:timers/promises";
import { backOffMs, reasonOf } from "@tally/failures";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";

export interface GatewayRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string | FormData;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GatewayReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined for a body that is no JSON. */
  readonly json: unknown;
}

export interface Patience {
  /** How long to try again. */
  readonly giveUpAfterMs: number;
  readonly signal?: AbortSignal;
}

// A gateway responds within 30 s, also to a body that arrives slowly.
const responseWithinMs = 40_000;
const backOff = { firstMs: 200, longestMs: 5000 };

/** One gateway, as a client that sends each request again until it has a response. Requests must be safe to repeat. */
export class Gateway {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, apiKey }: { readonly url: string; readonly apiKey: string }) {
    this.url = url;
    this.#headers = apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };
  }

  /**
   * The response to a request. After 408, 429, 5xx and a broken connection the request is sent again, when Retry-After says so or with growing
   * delays. Throws a CommandError with code 3 when it gives up, and with code 2 for a wrong API key. Throws when `signal` aborts.
   */
  async send(request: GatewayRequest, { giveUpAfterMs, signal }: Patience): Promise<GatewayReply> {
    const deadline = performance.now() + giveUpAfterMs;
    for (let failures = 1; ; failures++) {
      const reply = await this.#try(request, signal);
      if ("status" in reply && !isTemporary(reply.status)) {
        if (reply.status === 401) throw new CommandError(`${messageOf(reply)} (TALLY_API_KEY)`, exitCodes.usage);
        return reply;
      }
      const asked = "status" in reply ? retryAfterMs(reply) : undefined;
      const waitMs = asked ?? backOffMs(failures, backOff);
      if (performance.now() + waitMs > deadline) {
        const reason =
          "status" in reply ? `responds ${reply.status}: ${messageOf(reply)}` : `does not respond (${reply.reason})`;
        throw new CommandError(`${this.url} ${reason}`, exitCodes.unreachable);
      }
      await delay(waitMs, undefined, signal === undefined ? {} : { signal });
    }
  }

  async #try(
    { method, path, body, type, headers }: GatewayRequest,
    signal?: AbortSignal,
  ): Promise<GatewayReply | { readonly reason: string }> {
    const timeout = AbortSignal.timeout(responseWithinMs);
    try {
      const response = await fetch(this.url + path, {
        method,
        headers: { ...this.#headers, ...(type === undefined ? {} : { "content-type": type }), ...headers },
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parsed(response.headers, text) };
    } catch (error) {
      signal?.throwIfAborted();
      // fetch throws a TypeError whose cause is the socket's error, and a DOMException after the timeout.
      if (error instanceof TypeError || error instanceof DOMException)
        return { reason: reasonOf(error.cause ?? error) };
      throw error;
    }
  }
}

/** The sentence of an error response. */
export function messageOf({ json, text, status }: Pick<GatewayReply, "json" | "text" | "status">): string {
  for (const key of ["message", "msg"]) {
    const message: unknown = typeof json === "object" && json !== null ? Reflect.get(json, key) : undefined;
    if (typeof message === "string") return message;
  }
  return text === "" ? `status ${status}` : text.slice(0, 200);
}

/** What Retry-After asks for, in ms; undefined without one. */
export function retryAfterMs({ headers }: Pick<GatewayReply, "headers">): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function parsed(headers: Headers, text: string): unknown {
  if (!(headers.get("content-type") ?? "").startsWith("application/json")) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // Another server than a gateway; the caller sees that the body is not what it expects.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
