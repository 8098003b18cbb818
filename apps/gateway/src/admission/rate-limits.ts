import type { Grant, KeyLimit } from "@tally/access";
import type { FastifyReply, FastifyRequest } from "fastify";
import { clientOf } from "../http/connection/client-address.ts";
import { rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";
import type { Taken, TokenBuckets } from "./token-buckets.ts";

/** The owner of the bucket from which a request takes its tokens. */
export interface Limited {
  readonly policy: "key" | "address";
  readonly subject: string;
  readonly limit: KeyLimit;
}

export interface RateLimitOptions {
  readonly buckets: TokenBuckets;
  /** For keys that have no own limit; undefined: none. */
  readonly perKey: KeyLimit | undefined;
  /** For requests without a valid key; undefined: none. */
  readonly perAddress: KeyLimit | undefined;
  /** Whether requests are accepted while Redis does not reply. */
  readonly failsOpen: boolean;
}

/** Limits the rate of each key, and of each address without a key. Responses have the RateLimit header fields of the IETF draft. */
export class RateLimits {
  readonly #options: RateLimitOptions;

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** The limit that applies to a request; undefined: none. */
  limitOf(request: FastifyRequest, grant: Grant | undefined): Limited | undefined {
    const { perKey, perAddress } = this.#options;
    if (grant !== undefined) {
      const limit = grant.limit ?? perKey;
      return limit && { policy: "key", subject: `key:${grant.keyId}`, limit };
    }
    return perAddress && { policy: "address", subject: `address:${clientOf(request.ip)}`, limit: perAddress };
  }

  /** Takes tokens and calls `goOn`, or rejects the request when there are too few. */
  take(reply: FastifyReply, limited: Limited, cost: number, goOn: () => void): void {
    const decide = (taken: Taken | "unknown"): void => {
      if (taken === "unknown") {
        if (this.#options.failsOpen) return goOn();
        return void reject(reply, rejection("RATE_LIMIT_UNCHECKED"));
      }
      addHeaders(reply, limited, taken);
      if (taken.granted) goOn();
      else rejectRate(reply, limited, taken);
    };
    const taken = this.#options.buckets.take(limited.subject, limited.limit, cost);
    // Most requests take a token in hand and do not wait.
    if (taken instanceof Promise) taken.then(decide).catch((error: unknown) => reply.send(error));
    else decide(taken);
  }
}

function addHeaders(reply: FastifyReply, { policy, limit }: Limited, { remaining, fullMs }: Taken): void {
  // The quota is the burst. The window is the time until an empty bucket is full.
  const window = Math.max(1, Math.ceil(limit.burst / limit.perSecond));
  reply.header("ratelimit-policy", `"${policy}";q=${limit.burst};w=${window}`);
  reply.header("ratelimit", `"${policy}";r=${remaining};t=${Math.ceil(fullMs / 1000)}`);
}

function rejectRate(reply: FastifyReply, { limit: { perSecond } }: Limited, { againMs }: Taken): void {
  const retryAfterSeconds = Math.max(1, Math.ceil(againMs / 1000));
  reject(reply, { ...rejection("RATE_LIMITED", { perSecond }), retryAfterSeconds });
}
