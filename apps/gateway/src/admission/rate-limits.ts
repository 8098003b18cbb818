import { readFileSync } from "node:fs";
import type { Grant, KeyLimit } from "@tally/access";
import { openRedis, type Redis } from "@tally/redis";
import { type Logger, Outage } from "@tally/runtime";
import type { FastifyReply, FastifyRequest } from "fastify";
import { rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";
import { clientOf } from "../http/connection/client-address.ts";
import { type Taken, tokenBuckets, type TokenBuckets } from "./token-buckets.ts";

/** The owner of the bucket from which a request takes its tokens. */
export interface Limited {
  readonly policy: "key" | "address";
  readonly subject: string;
  readonly limit: KeyLimit;
}

interface RateLimitOptions {
  readonly buckets: TokenBuckets;
  /** For keys that have no own limit; undefined: none. */
  readonly perKey: KeyLimit | undefined;
  /** For requests without a valid key; undefined: none. */
  readonly perAddress: KeyLimit | undefined;
  /** Whether requests are accepted while Redis does not reply. */
  readonly failsOpen: boolean;
}

export type RateLimits = ReturnType<typeof rateLimits>;

/** Limits the rate of each key, and of each address without one. Sets the RateLimit fields of the IETF draft. */
export function rateLimits({ buckets, perKey, perAddress, failsOpen }: RateLimitOptions) {
  return {
    /** The limit that applies to a request; undefined: none. */
    limitOf(request: FastifyRequest, grant: Grant | undefined): Limited | undefined {
      if (grant === undefined)
        return perAddress && { policy: "address", subject: `address:${clientOf(request.ip)}`, limit: perAddress };
      const limit = grant.limit ?? perKey;
      return limit && { policy: "key", subject: `key:${grant.keyId}`, limit };
    },

    /** Takes tokens and calls `goOn`, or rejects the request when there are too few. A retry takes `before` again. */
    take(reply: FastifyReply, limited: Limited, cost: number, goOn: () => void, before = 0): void {
      const decide = (taken: Taken | "unknown"): void => {
        if (taken !== "unknown") addHeaders(reply, limited, taken);
        if (taken === "unknown" ? failsOpen : taken.granted) return goOn();
        if (taken === "unknown") return void reject(reply, rejection("RATE_LIMIT_UNCHECKED"));
        const { perSecond } = limited.limit;
        const retryAfterSeconds = Math.max(1, Math.ceil(taken.againMs / 1000 + before / perSecond));
        reject(reply, { ...rejection("RATE_LIMITED", { perSecond }), retryAfterSeconds });
      };
      const taken = buckets.take(limited.subject, limited.limit, cost);
      // Most requests take a token in hand and do not wait.
      if (taken instanceof Promise) taken.then(decide).catch((error: unknown) => reply.send(error));
      else decide(taken);
    },
  };
}

function addHeaders(reply: FastifyReply, { policy, limit }: Limited, { remaining, fullMs }: Taken): void {
  // The quota is the burst. The window is the time until an empty bucket is full.
  const window = Math.max(1, Math.ceil(limit.burst / limit.perSecond));
  reply.header("ratelimit-policy", `"${policy}";q=${limit.burst};w=${window}`);
  reply.header("ratelimit", `"${policy}";r=${remaining};t=${Math.ceil(fullMs / 1000)}`);
}

// The longest time that a rate limit may cost a request. Redis usually replies within a millisecond.
const commandTimeoutMs = 250;

type BucketsRedis = Redis & { tallyTake(keys: number, ...values: readonly (string | number)[]): Promise<number[]> };

/** Buckets in Redis. All in one hash slot, because one script call covers many. Connects with back-off, without end. */
export function redisBuckets(o: { readonly url: string; readonly namespace: string; readonly log: Logger }) {
  const scripts = { tallyTake: { lua: readFileSync(new URL("take.lua", import.meta.url), "utf8") } };
  const { url, log } = o;
  const options = { url, label: "rate limits", commandTimeoutMs, queuesWhileDown: false, scripts, log };
  // The driver makes a method of each script.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const redis = openRedis(options) as BucketsRedis;
  const buckets = tokenBuckets({
    async supply(demands) {
      const keys = demands.map(({ subject }) => `${o.namespace}:rate:{limits}:${subject}`);
      const values = demands.flatMap(({ limit, cost, count }) => [1000 / limit.perSecond, limit.burst, cost, count]);
      const flat = await redis.tallyTake(keys.length, ...keys, ...values);
      return demands.map((_, index) => {
        const [granted = 0, remaining = 0, fullMs = 0] = flat.slice(3 * index, 3 * index + 3);
        return { granted, remaining, fullMs };
      });
    },
    outage: new Outage(log, "check rate limits"),
  });
  return { buckets, close: () => redis.disconnect() };
}
