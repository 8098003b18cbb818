import { move } from "./move-script.ts";

/*
 * All keys of one shard share a hash tag, so they live in one slot of a Redis Cluster:
 * "tally" is the namespace, "v2" the layout, "g" a generation, whose name ends in its number of shards.
 *
 *   tally:{liftrides:0:v2}:generation         the live generation. Absent: none was ever built, or Redis has lost everything
 *   tally:{liftrides:0:v2}:builder            the generation that is being built, with a time to live: one at a time
 *   tally:{liftrides:0:v2}:checked            "run time": all batches stored up to the time are marked, as checked in that run of Redis
 *   tally:{liftrides:0:v2}:g:b:day:5          the members of a board, or its best: sorted set, score = negated count
 *   tally:{liftrides:0:v2}:g:c:day:5          all members of a board with their scores: hash; absent for boards of mirrored counts
 *   tally:{liftrides:0:v2}:g:floors           board -> "score member", the last place in its sorted set; or "back cursor" or "all": see
 *                                             move-script.ts
 *   tally:{liftrides:0:v2}:g:applied:<hex>    the marks of a producer, one bit for each batch: its moves are in the boards
 *   tally:{liftrides:0:v2}:g:as-of            when the newest counted batch was stored, ms since 1970
 *   tally:{liftrides:0:v2}:g:in-ledger        the same of the newest one that was found in the ledger, in the first shard
 *   tally:{liftrides:0:v2}:g:dirty            why this generation is wrong: a script failed half-way
 *   tally:{liftrides:0:v2}:g:loaded           while it is built: one bit for each chunk that was loaded
 *
 * The first layout had no ":v2" in its keys and other kinds of boards. Apps of both layouts run beside each other, each on its own keys.
 *
 * While no generation is live, batches are counted in one called "1", so that traffic is counted from its first batch.
 */

/** The prefix of every key of a shard. */
export function shardKey(namespace: string, domain: string, shard: number): string {
  return `${namespace}:{${domain}:${shard}:v2}`;
}

/** The same in the first layout. */
export function earlierShardKey(namespace: string, domain: string, shard: number): string {
  return `${namespace}:{${domain}:${shard}}`;
}

/** The generation while none is live; a built one never has this name. */
export const firstGeneration = "1";

/** Most members of a board in one read: fewer than stay in the sorted set of a large board. */
export const topLimitMax = 100;

// KEYS[1] is the shard and ARGV[1] a generation, "" for the live one, or "x4" for the live one if it has 4 shards: see live-shards.ts.
const prefix = `
local call = redis.call
local g = ARGV[1]
if g == '' or g:byte() == 120 then
  g = call('GET', KEYS[1] .. ':generation') or '${firstGeneration}'
  local found = g:match('x%d+$')
  if ARGV[1] ~= '' and found and found ~= ARGV[1] then return redis.error_reply('SHARDS ' .. found:sub(2)) end
end
local p = KEYS[1] .. ':' .. g`;

/**
 * Applies the moves of a batch once: mark and moves are one atomic step, so a message that comes again does nothing.
 * ARGV: generation, producer, sequence, stored at, moves. Returns 1 if the batch was new, else 0; and 1 if the caller must call again,
 * because the moves made a board move back into its sorted set.
 */
export const apply = `${prefix}${move}
local moves = cmsgpack.unpack(ARGV[5])
local isNew = call('SETBIT', p .. ':applied:' .. ARGV[2], ARGV[3], 1) == 0
local failed, more = orMarkDirty(isNew and move or resume, moves)
if failed then return failed end
if isNew and tonumber(ARGV[4]) > tonumber(call('GET', p .. ':as-of') or '0') then call('SET', p .. ':as-of', ARGV[4]) end
return { isNew and 1 or 0, more and 1 or 0 }`;

/**
 * Loads a chunk of a generation, once; no cell is in two chunks. ARGV: generation, number of the chunk, cells as moves, time of
 * the newest batch, then for marks: producer, offset in bytes, bits.
 */
export const load = `${prefix}${move}
local cells = cmsgpack.unpack(ARGV[3])
if call('SETBIT', p .. ':loaded', ARGV[2], 1) == 1 then return 0 end
local failed = orMarkDirty(move, cells)
if failed then return failed end
call('SET', p .. ':as-of', ARGV[4])
for i = 5, #ARGV, 3 do call('SETRANGE', p .. ':applied:' .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return 1`;

const completeness = `
if call('GET', KEYS[1] .. ':generation') == ARGV[1] then return 1 end
if call('BITCOUNT', p .. ':loaded') ~= tonumber(ARGV[2]) or call('EXISTS', p .. ':dirty') == 1 then return 0 end`;

/** ARGV: generation, number of chunks. Returns 1 if switchTo would return it, and changes nothing. */
export const isComplete = `${prefix}${completeness}
return 1`;

/**
 * Makes a generation the live one if all its chunks are present: Redis may have restarted half-way, from an older file.
 * ARGV: generation, number of chunks. Returns 1, also when it is live already, or 0 when a chunk is missing.
 */
export const switchTo = `${prefix}${completeness}
call('SET', KEYS[1] .. ':generation', ARGV[1])
call('DEL', p .. ':loaded')
return 1`;

/** ARGV: generation, board, limit. Returns as-of and the first members of the board with their scores. */
export const top = `${prefix}
return { call('GET', p .. ':as-of'), call('ZRANGE', p .. ':b:' .. ARGV[2], 0, ARGV[3] - 1, 'WITHSCORES') }`;

/** ARGV: generation, board, member. Returns its score, or nil. */
export const score = `${prefix}
return call('ZSCORE', p .. ':b:' .. ARGV[2], ARGV[3]) or call('HGET', p .. ':c:' .. ARGV[2], ARGV[3])`;

/** ARGV: generation, producer, sequences. Returns those without a mark. */
export const unmarked = `${prefix}
local marks = p .. ':applied:' .. ARGV[2]
local missing = {}
for i = 3, #ARGV do
  if call('GETBIT', marks, ARGV[i]) == 0 then missing[#missing + 1] = ARGV[i] end
end
return missing`;

/** Returns the live generation, and why it is dirty; nil where absent. */
export const state = `${prefix}
return { call('GET', KEYS[1] .. ':generation'), call('GET', p .. ':dirty') }`;

/** Returns when the newest counted batch was stored, and the newest one that was found in the ledger; nil where absent. */
export const newest = `${prefix}
return { call('GET', p .. ':as-of'), call('GET', p .. ':in-ledger') }`;

/** ARGV: generation, when a batch was stored that was found in the ledger. */
export const noteInLedger = `${prefix}
call('SET', p .. ':in-ledger', ARGV[2])
return 1`;

/** Takes or renews the right to build. ARGV: generation, time to live in ms. Returns 1, or 0 while another builds. */
export const hold = `
local key = KEYS[1] .. ':builder'
local holder = redis.call('GET', key)
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
return 1`;

/** Returns that right. ARGV: generation. */
export const release = `
local key = KEYS[1] .. ':builder'
if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
return 1`;
