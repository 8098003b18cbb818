import { isRetriable, retryingFetch, TallyClientError, type Attempt } from "@tally/client";
import { reasonOf } from "@tally/runtime";
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
const attemptMs = 40_000;
/** The range of the delays between tries, in ms. */
export const backOff = { firstDelayMs: 200, longestDelayMs: 5000 } as const;

/** The gateway does not respond, or not as it should. `status`: of its last response; undefined without one. */
export class GatewayUnavailable extends CommandError {
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message, exitCodes.unreachable);
    this.status = status;
  }
}

/** A response to a POST that is not from a gateway: the login page of a network, or a proxy whose gateway is away. It says nothing about the event. */
class ForeignResponse extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`${status} without the body of a gateway`);
    this.status = status;
  }
}

/** One gateway, as commands use it: with the retries of @tally/client and errors for people. Requests must be safe to repeat. */
export class Gateway {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, apiKey }: { readonly url: string; readonly apiKey: string }) {
    this.url = url;
    this.#headers = apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };
  }

  /**
   * The response to a request, which is sent again as `retryingFetch` does. A response to a POST is an event id, or an error of a gateway:
   * after any other the request is sent again too. Throws GatewayUnavailable when it gives up, a CommandError with code 2 for a wrong API key,
   * and the reason of `signal`.
   */
  async send(request: GatewayRequest, { giveUpAfterMs, signal }: Patience): Promise<GatewayReply> {
    const patience = { attemptsMax: Infinity, withinMs: giveUpAfterMs, attemptMs, ...backOff };
    const call = retryingFetch(request.method === "POST" ? { fetch: ownResponse, ...patience } : patience);
    const response = await call(this.#requestOf(request, signal)).catch((error: unknown) => {
      if (!(error instanceof TallyClientError)) throw error;
      const { cause } = error;
      if (cause instanceof ForeignResponse)
        throw new GatewayUnavailable(`${this.url} responds ${cause.message}`, cause.status);
      throw new GatewayUnavailable(`${this.url} does not respond (${reasonOf(error.cause)})`, undefined);
    });
    const { status, headers } = response;
    const text = await response.text();
    const reply = { status, headers, text, json: parsed(headers, text) };
    if (isRetriable(status))
      throw new GatewayUnavailable(`${this.url} responds ${status}: ${messageOf(reply)}`, status);
    if (status === 401) throw wrongKey(messageOf(reply));
    return reply;
  }

  /** One attempt to POST to this path; for `sendBulk`. */
  attemptAt(path: string, type: string): Attempt {
    const headers = { "content-type": type, ...this.#headers };
    return { fetch, url: this.url + path, init: { method: "POST", redirect: "manual", headers }, attemptMs };
  }

  #requestOf({ method, path, body, type, headers }: GatewayRequest, signal: AbortSignal | undefined): Request {
    return new Request(this.url + path, {
      method,
      headers: { ...this.#headers, ...(type === undefined ? {} : { "content-type": type }), ...headers },
      body: body ?? null,
      signal: signal ?? null,
    });
  }
}

/** No request with this API key is accepted. */
export function wrongKey(message: string): CommandError {
  return new CommandError(`${message} (TALLY_API_KEY)`, exitCodes.usage);
}

/** The sentence of an error response. */
export function messageOf({ json, text, status }: Pick<GatewayReply, "json" | "text" | "status">): string {
  return sentenceOf(json) ?? (text === "" ? `status ${status}` : text.slice(0, 200));
}

/** fetch for a POST of one event. Rejects with ForeignResponse; a status that may be sent again is returned from any server. */
async function ownResponse(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { status, headers } = response;
  if (isRetriable(status) || (response.ok && headers.has("tally-event-id"))) return response;
  const text = await response.text();
  if (status < 400 || sentenceOf(parsed(headers, text)) === undefined) throw new ForeignResponse(status);
  return new Response(text, response);
}

/** Undefined: not the body of an error of a gateway. */
function sentenceOf(json: unknown): string | undefined {
  for (const key of ["message", "msg"]) {
    const message: unknown = typeof json === "object" && json !== null ? Reflect.get(json, key) : undefined;
    if (typeof message === "string") return message;
  }
  return undefined;
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
