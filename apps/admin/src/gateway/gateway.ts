import { isRetriable, messageOf, retryingFetch, TallyClientError, type Attempt } from "@tally/client";
import { fieldIn, parsedJson } from "@tally/contract";
import { reasonOf, readConfigOrExit, secret, url } from "@tally/runtime";
import { origin } from "@tally/runtime/flag-values";
import { Option } from "commander";
import { CommandError, usageError, exitCodes } from "../command.ts";

/** The settings of commands that talk to a gateway. `pnpm dev` provides TALLY_URL to `pnpm tally`. */
export const gatewaySettings = {
  url: url("TALLY_URL", "the gateway that `top`, `send` and `import` use, without a path", {
    protocols: ["http:", "https:"],
    default: "http://127.0.0.1:8080",
  }),
  apiKey: secret("TALLY_API_KEY", "the API key that they send", { default: "" }),
} as const;

export interface GatewayFlags {
  readonly url?: string;
}

export const gatewayFlag = new Option("--url <origin>", "the gateway (default: TALLY_URL)").argParser(origin);

export interface GatewayRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GatewayReply {
  readonly status: number;
  /** The id of the event that a POST has stored; null for any other response. */
  readonly eventId: string | null;
  /** Undefined for a body that is no JSON. */
  readonly json: unknown;
  /** The sentence of an error response. */
  readonly message: string;
}

// A gateway responds within 30 s, also to a body that arrives slowly.
const attemptMs = 40_000;

/** The range of the delays between tries, in ms. */
export const backOff = { firstDelayMs: 200, longestDelayMs: 5000 } as const;

export type Gateway = ReturnType<typeof gatewayOf>;

/** The gateway of the flag or of the environment, with the retries of @tally/client and errors for people. Requests
 * must be safe to repeat. Exits with 2 for a wrong variable. */
export function gatewayOf({ url: flag }: GatewayFlags) {
  const { url: fromEnvironment, apiKey } = readConfigOrExit(gatewaySettings);
  const address = (flag ?? fromEnvironment).replace(/\/+$/, "");
  const { username, password } = new URL(address);
  if (username + password !== "") throw usageError("TALLY_URL: expected a URL without user and password");
  const authorization = apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };
  const unavailable = (what: string) => new CommandError(`${address} ${what}`, exitCodes.unreachable);
  return {
    url: address,
    /** The gateway does not respond, or not as it should. */
    unavailable,

    /** The response after retries. Throws a CommandError: code 3 when it gives up, code 2 for a wrong API key. */
    async send({ method, path, body, headers }: GatewayRequest, giveUpAfterMs: number): Promise<GatewayReply> {
      const patience = { attemptsMax: Infinity, withinMs: giveUpAfterMs, attemptMs, ...backOff };
      const init = { method, headers: { ...authorization, ...headers }, body: body ?? null };
      const request = new Request(address + path, init);
      const response = await retryingFetch(patience)(request).catch((error: unknown) => {
        if (!(error instanceof TallyClientError)) throw error;
        throw unavailable(`does not respond (${reasonOf(error.cause)})`);
      });
      const { status } = response;
      const text = await response.text();
      const json = parsedJson(text);
      // A bulk response has the id and the error in its entry.
      const result = fieldIn(fieldIn(json, "results"), "0");
      const eventId = response.headers.get("tally-event-id") ?? textIn(result, "id") ?? null;
      const error = messageOf(text) ?? textIn(result, "error");
      const message = error ?? (text === "" ? `status ${status}` : text.slice(0, 200));
      if (isRetriable(status)) throw unavailable(`responds ${status}: ${message}`);
      // Another server, such as a login page or a proxy. It says nothing about the event.
      const isGateway = response.ok ? (method === "GET" ? json : eventId) != null : error != null;
      if (!isGateway) throw unavailable(`responds ${status} without the body of a gateway`);
      if (status === 401) throw wrongKey(message);
      return { status, eventId, json, message };
    },

    /** One attempt to send to this path; for `sendBulk`. */
    attemptAt(path: string, headers: Readonly<Record<string, string>>, method: "POST" | "PUT"): Attempt {
      const init = { method, redirect: "manual", headers: { ...headers, ...authorization } } as const;
      return { fetch, url: address + path, init, attemptMs };
    },
  };
}

/** Undefined: the field is absent, or no text. */
export function textIn(value: unknown, name: string): string | undefined {
  const found = fieldIn(value, name);
  return typeof found === "string" ? found : undefined;
}

/** No request with this API key is accepted. */
export function wrongKey(message: string): CommandError {
  return usageError(`${message} (TALLY_API_KEY)`);
}
