--[[
Takes tokens from buckets. A bucket is one number (GCRA): the time at which it will be full again, by the clock of
Redis, in ms since 1970. Absent: it is full. It expires when it is full, so Redis holds only those of recent clients.

KEYS     the buckets
ARGV     for each bucket: ms per token, burst, cost of a request, requests
Reply: for each bucket: granted requests, remaining tokens, ms until it is full
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local out = {}
for i, key in ipairs(KEYS) do
  local each, burst = tonumber(ARGV[4 * i - 3]), tonumber(ARGV[4 * i - 2])
  local cost, count = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  -- At worst empty: by another limit, or an earlier time of a clock, it would be full too late.
  local before = tonumber(redis.call('GET', key) or '0')
  local full = math.min(math.max(before, now), now + burst * each)
  local room = math.max(0, math.floor(burst - (full - now) / each + 0.000001))
  local granted = math.min(count, math.floor(room / cost))
  if granted > 0 or full < before then
    full = full + granted * cost * each
    redis.call('SET', key, string.format('%.3f', full), 'PX', math.ceil(full - now))
  end
  out[3 * i - 2] = granted
  out[3 * i - 1] = room - granted * cost
  out[3 * i] = math.ceil(full - now)
end
return out
