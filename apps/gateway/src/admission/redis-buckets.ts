import { Outage, type Logger } from "@tally/runtime";
import { openRedis, type Redis } from "@tally/redis";
import { TokenBuckets, type Demand, type Supply } from "./token-buckets.ts";

/*
 * A bucket is one number (GCRA): the time at which it will be full again, by the clock of Redis, in ms since 1970. Absent: it is full. It
 * expires when it is full, so Redis holds only the buckets of clients that sent requests lately.
 */

// KEYS: the buckets. ARGV for each: ms per token, burst, cost of a request, requests. Returns for each: granted, remaining, ms until full.
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
