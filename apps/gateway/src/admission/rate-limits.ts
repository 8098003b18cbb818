import type { Grant, KeyLimit } from "@tally/access";
import { openRedis, type Redis } from "@tally/redis";
import { type Logger, Outage } from "@tally/runtime";
import type { FastifyReply, FastifyRequest } from "fastify";
import { rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";
import { clientOf } from "../http/connection/client-address.ts";
import { type Demand, type Supply, type Taken, TokenBuckets } from "./token-buckets.ts";

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

/**
 * Limits the rate of each key, and of each address without a key. Responses have the RateLimit header fields of the
 * IETF draft.
 */
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

/*
 * A bucket is one number (GCRA): the time at which it will be full again, by the clock of Redis, in ms since 1970.
 * Absent: it is full. It expires when it is full, so Redis holds only the buckets of clients that sent requests lately.
 */

// KEYS: the buckets. ARGV for each: ms per token, burst, cost of a request, requests. Returns for each: granted,
// remaining, ms until full.
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local out = {}
for i, key in ipairs(KEYS) do
  local each, burst = tonumber(ARGV[4 * i - 3]), tonumber(ARGV[4 * i - 2])
  local cost, count = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  local full = math.max(tonumber(redis.call('GET', key) or '0'), now)
  local room = math.max(0, math.floor(burst - (full - now) / each + 0.000001))
  local granted = math.min(count, math.floor(room / cost))
  if granted > 0 then
    full = full + granted * cost * each
    redis.call('SET', key, string.format('%.3f', full), 'PX', math.ceil(full - now))
  end
  out[3 * i - 2] = granted
  out[3 * i - 1] = room - granted * cost
  out[3 * i] = math.ceil(full - now)
end
return out`;

// The longest time that a rate limit may cost a request. Redis usually replies within a millisecond.
const commandTimeoutMs = 250;

type BucketsRedis = Redis & { tallyTake(keys: number, ...values: readonly (string | number)[]): Promise<number[]> };

/** Buckets in Redis. All in one hash slot, because one script call covers many. Connects with back-off, without end. */
export function redisBuckets(o: { readonly url: string; readonly namespace: string; readonly log: Logger }) {
  const redis = open(o.url, o.log);
  const outage = new Outage(o.log, "check rate limits");
  const supply = async (demands: readonly Demand[]): Promise<readonly Supply[]> => {
    const keys = demands.map(({ subject }) => `${o.namespace}:rate:{limits}:${subject}`);
    const values = demands.flatMap(({ limit, cost, count }) => [1000 / limit.perSecond, limit.burst, cost, count]);
    const flat = await redis.tallyTake(keys.length, ...keys, ...values);
    return demands.map((_, index) => {
      const [granted = 0, remaining = 0, fullMs = 0] = flat.slice(3 * index, 3 * index + 3);
      return { granted, remaining, fullMs };
    });
  };
  return {
    buckets: new TokenBuckets({ supply, onFailed: (error) => outage.failed(error), onWorked: () => outage.worked() }),
    close: () => redis.disconnect(),
  };
}

function open(url: string, log: Logger): BucketsRedis {
  const scripts = { tallyTake: { lua: take } };
  const redis = openRedis({ url, label: "rate limits", commandTimeoutMs, queuesWhileDown: false, scripts, log });
  // The driver makes a method of each script.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return redis as BucketsRedis;
}
