import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./generated/openapi.ts";
import { type Fetch, retryingFetch, type RetryOptions } from "./retry/retrying-fetch.ts";

export interface TallyClientOptions {
  /** The gateway's, with its base path if it has one: `https://tally.example.com`. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer`. */
  readonly apiKey?: string | undefined;
  readonly retry?: RetryOptions;
  /** Default: the platform's. */
  readonly fetch?: Fetch;
}

/** Calls to all routes: `client.GET(path, { params })` and `client.POST(path, { params, body })` of openapi-fetch. */
export type TallyClient = Client<paths>;

/** Typed calls to all routes, retried as in `retryingFetch`. Rejects with UNREACHABLE without any response. */
export function createTallyClient({ baseUrl, apiKey, retry, fetch }: TallyClientOptions): TallyClient {
  return createClient<paths>({
    baseUrl: new URL(baseUrl).href,
    fetch: retryingFetch({ ...retry, ...(fetch === undefined ? {} : { fetch }) }),
    headers: authorizationOf(apiKey),
  });
}

export function authorizationOf(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
