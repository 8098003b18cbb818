import { signal } from "@preact/signals";
import { fieldIn, parsedJson } from "@tally/contract/json";

/** A response of the gateway other than 2xx, or none at all: then `status` is 0. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The URL of a path of the gateway, such as "/status", also when a proxy serves the page below a path. */
export function urlOf(path: string): string {
  return new URL(path.replace(/^\//, ""), document.baseURI).href;
}

/** Sends a request with the user's key, a body as JSON. Throws CallError for everything but 2xx. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(urlOf(path), {
    ...init,
    headers: { ...authorization(), ...(init.body !== undefined && { "content-type": "application/json" }) },
  }).catch((error: unknown) => {
    throw new CallError(0, "the gateway does not respond", { cause: error });
  });
  if (!response.ok)
    throw new CallError(response.status, sentenceOf(await response.text()) ?? `status ${response.status}`);
  return response;
}

/** The sentence of an error body, as JSON or parsed; undefined: it has none, because it is a proxy's page. */
export function sentenceOf(body: unknown): string | undefined {
  const value = typeof body === "string" ? parsedJson(body) : body;
  const sentence = fieldIn(value, "message") ?? fieldIn(value, "msg");
  return typeof sentence === "string" ? sentence : undefined;
}

const storedAs = "tally-api-key";

/** The key that the user has entered; empty: none. Kept until the tab is closed. */
export const apiKey = signal(sessionStorage.getItem(storedAs) ?? "");

export function setApiKey(key: string): void {
  apiKey.value = key;
  if (key === "") sessionStorage.removeItem(storedAs);
  else sessionStorage.setItem(storedAs, key);
}

function authorization(): Record<string, string> {
  return apiKey.value === "" ? {} : { authorization: `Bearer ${apiKey.value}` };
}
