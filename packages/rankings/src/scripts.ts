/*
 * All keys of one shard share a hash tag, so they live in one slot of a Redis Cluster:
 * "tally" is the namespace.
 *
 *   tally:{purchases:0}:generation         which generation is live; absent means 1
 *   tally:{purchases:0}:1:b:store:5        a board: sorted set of members, score = count negated
 *   tally:{purchases:0}:1:applied:<hex>    one bit for each batch of a producer: set when its moves are in the boards
 *   tally:{purchases:0}:1:as-of            when the newest batch counted in was stored, ms since 1970
 */

/** The part of every key that names the shard. */
export function shardKey(namespace: string, domain: string, shard: number): string {
  return `${namespace}:{${domain}:${shard}}`;
}

/**
 * Applies a batch's moves once: mark and moves are one atomic step, so a message that comes twice does nothing.
 * KEYS: shard. ARGV: producer, sequence, stored at, moves. Answers 1 when it applied, 0 when it had been applied.
 * A member that falls back to 0 leaves its board: a board holds what the rows hold.
 */
export const apply = `
local call = redis.call
local p = KEYS[1] .. ':' .. (call('GET', KEYS[1] .. ':generation') or '1')
local moves = cmsgpack.unpack(ARGV[4])
if call('SETBIT', p .. ':applied:' .. ARGV[1], ARGV[2], 1) == 1 then return 0 end
for i = 1, #moves, 2 do
  local board, changes = p .. ':b:' .. moves[i], moves[i + 1]
  for j = 1, #changes, 2 do
    local score = call('ZINCRBY', board, changes[j + 1], changes[j])
    if score == '0' or score == '-0' then call('ZREM', board, changes[j]) end
  end
end
if tonumber(ARGV[3]) > tonumber(call('GET', p .. ':as-of') or '0') then call('SET', p .. ':as-of', ARGV[3]) end
return 1`;

/** KEYS: shard. ARGV: board, limit. Answers as-of and the board's first members with their scores. */
export const top = `
local p = KEYS[1] .. ':' .. (redis.call('GET', KEYS[1] .. ':generation') or '1')
return { redis.call('GET', p .. ':as-of'), redis.call('ZRANGE', p .. ':b:' .. ARGV[1], 0, ARGV[2] - 1, 'WITHSCORES') }`;

/** KEYS: shard. ARGV: producer, sequences. Answers those whose bit is not set. */
export const unmarked = `
local marks = KEYS[1] .. ':' .. (redis.call('GET', KEYS[1] .. ':generation') or '1') .. ':applied:' .. ARGV[1]
local missing = {}
for i = 2, #ARGV do
  if redis.call('GETBIT', marks, ARGV[i]) == 0 then missing[#missing + 1] = ARGV[i] end
end
return missing`;
