import { move } from "./move-script.ts";

/*
 * All keys of one shard share a hash tag, so they live in one slot of a Redis Cluster:
 * "tally" is the namespace, "g" a generation.
 *
 *   tally:{purchases:0}:generation         which generation is live. Absent: nothing was ever built here, or Redis has lost all
 *   tally:{purchases:0}:builder            who builds a new generation, with a time to live: one at a time
 *   tally:{purchases:0}:checked            all that was stored up to a time is marked, as seen in one run of Redis: "run time"
 *   tally:{purchases:0}:g:b:store:5        a board: sorted set of members, score = count negated. Of a large one: its best
 *   tally:{purchases:0}:g:c:store:5        a large board: hash of all its members, with their scores
 *   tally:{purchases:0}:g:floors           each board that was ever large -> "score member", the last place in its sorted set; or "back
 *                                          cursor" and "all": move-script.ts has the way of a board
 *   tally:{purchases:0}:g:applied:<hex>    one bit for each batch of a producer: set when its moves are in the boards
 *   tally:{purchases:0}:g:as-of            when the newest batch counted in was stored, ms since 1970
 *   tally:{purchases:0}:g:dirty            why this generation cannot be trusted: a script failed half-way
 *   tally:{purchases:0}:g:loaded           while it is built: one bit for each chunk that has arrived
 *
 * While no generation is live, batches are applied to one called "1", so that traffic is counted from its first batch.
 */

/** The part of every key that names the shard. */
export function shardKey(namespace: string, domain: string, shard: number): string {
  return `${namespace}:{${domain}:${shard}}`;
}

/** The generation that is used while none is live; a built one is never called so. */
export const firstGeneration = "1";

/** How many members of a board can be asked for at once: fewer than stay in the sorted set of a large one. */
export const topLimitMax = 100;

// KEYS[1] is the shard and ARGV[1] a generation, or "" for the live one.
const prefix = `
local call = redis.call
local p = KEYS[1] .. ':' .. (ARGV[1] ~= '' and ARGV[1] or call('GET', KEYS[1] .. ':generation') or '${firstGeneration}')`;

/**
 * Applies a batch's moves once: mark and moves are one atomic step, so a message that comes twice does nothing.
 * ARGV: generation, producer, sequence, stored at, moves. Answers whether it applied them or had applied them before, 1 or 0, and 1
 * when it is to be called again, because its moves have begun to take a board back into its sorted set.
 */
export const apply = `${prefix}${move}
local moves = cmsgpack.unpack(ARGV[5])
local isNew = call('SETBIT', p .. ':applied:' .. ARGV[2], ARGV[3], 1) == 0
local failed, more = orSoil(isNew and move or goOn, moves, tonumber(ARGV[3]))
if failed then return failed end
if isNew and tonumber(ARGV[4]) > tonumber(call('GET', p .. ':as-of') or '0') then call('SET', p .. ':as-of', ARGV[4]) end
return { isNew and 1 or 0, more and 1 or 0 }`;

/**
 * One chunk of a generation that is built, at most once; no cell comes in two chunks. ARGV: generation, number of the chunk, cells as
 * board, [member, score, ...], time of the newest batch, then for marks: producer, offset in bytes, bits.
 */
export const load = `${prefix}${move}
local cells = cmsgpack.unpack(ARGV[3])
if call('SETBIT', p .. ':loaded', ARGV[2], 1) == 1 then return 0 end
local failed = orSoil(move, cells, tonumber(ARGV[2]))
if failed then return failed end
call('SET', p .. ':as-of', ARGV[4])
for i = 5, #ARGV, 3 do call('SETRANGE', p .. ':applied:' .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return 1`;

/**
 * Makes a generation the live one, if all its chunks are here: Redis may have started again half-way, from an older file.
 *  ARGV: generation, number of chunks. Answers 1, also when it is live already, or 0 when something is missing.
 */
export const switchTo = `${prefix}
if call('GET', KEYS[1] .. ':generation') == ARGV[1] then return 1 end
if call('BITCOUNT', p .. ':loaded') ~= tonumber(ARGV[2]) or call('EXISTS', p .. ':dirty') == 1 then return 0 end
call('SET', KEYS[1] .. ':generation', ARGV[1])
call('DEL', p .. ':loaded')
return 1`;

/** ARGV: generation, board, limit. Answers as-of and the board's first members with their scores. */
export const top = `${prefix}
return { call('GET', p .. ':as-of'), call('ZRANGE', p .. ':b:' .. ARGV[2], 0, ARGV[3] - 1, 'WITHSCORES') }`;

/** ARGV: generation, board, member. Answers its score, or nil. */
export const score = `${prefix}
return call('ZSCORE', p .. ':b:' .. ARGV[2], ARGV[3]) or call('HGET', p .. ':c:' .. ARGV[2], ARGV[3])`;

/** ARGV: generation, producer, sequences. Answers those whose bit is not set. */
export const unmarked = `${prefix}
local marks = p .. ':applied:' .. ARGV[2]
local missing = {}
for i = 3, #ARGV do
  if call('GETBIT', marks, ARGV[i]) == 0 then missing[#missing + 1] = ARGV[i] end
end
return missing`;

/** Answers the live generation, and why it is dirty; each nil where there is none. */
export const state = `${prefix}
return { call('GET', KEYS[1] .. ':generation'), call('GET', p .. ':dirty') }`;

/** Takes or keeps the right to build. ARGV: generation, time to live in ms. Answers 1, or 0 when another builds. */
export const hold = `
local key = KEYS[1] .. ':builder'
local holder = redis.call('GET', key)
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
return 1`;

/** Gives it back. ARGV: generation. */
export const release = `
local key = KEYS[1] .. ':builder'
if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
return 1`;
