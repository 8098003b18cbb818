/*
 * All keys of one shard share a hash tag, so they live in one slot of a Redis Cluster:
 * "tally" is the namespace, "g" a generation.
 *
 *   tally:{purchases:0}:generation         which generation is live. Absent: nothing was ever built here, or Redis has lost all
 *   tally:{purchases:0}:builder            who builds a new generation, with a time to live: one at a time
 *   tally:{purchases:0}:checked            all that was stored up to a time is marked, as seen in one run of Redis: "run time"
 *   tally:{purchases:0}:g:b:store:5        a board: sorted set of members, score = count negated. Of a large one: its best
 *   tally:{purchases:0}:g:c:store:5        a large board: hash of all its members, with their scores
 *   tally:{purchases:0}:g:floors           each large board -> "score member": whoever stands before or at it is in its sorted set
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

/** How many members of a board can be asked for at once. */
export const topLimitMax = 100;

// KEYS[1] is the shard and ARGV[1] a generation, or "" for the live one.
const prefix = `
local call = redis.call
local p = KEYS[1] .. ':' .. (ARGV[1] ~= '' and ARGV[1] or call('GET', KEYS[1] .. ':generation') or '${firstGeneration}')`;

/*
 * A member that falls back to 0 leaves its board: a board holds what the rows hold.
 *
 * A board of more than `large` members keeps all scores in a hash and only its best in the sorted set, because a skip list of a
 * hundred thousand is slow (docs/decisions/0004-how-boards-are-kept.md has the figures). The sorted set has exactly those who stand
 * before or at the floor, a place (score, member); it is cut when it holds more than `cutAbove`, and filled from the hash when
 * it holds fewer than can be asked for.
 */
const move = `
local large, cutAbove, kept, asked, everyone = 512, 160, 120, ${topLimitMax}, '9007199254740992 '

-- By bytes, as the sorted set does; Lua's own < goes by the locale.
local function atOrBefore(a, b)
  for i = 1, math.min(#a, #b) do
    if a:byte(i) ~= b:byte(i) then return a:byte(i) < b:byte(i) end
  end
  return #a <= #b
end

local function cut(name, best)
  call('ZREMRANGEBYRANK', best, kept, -1)
  local last = call('ZRANGE', best, -1, -1, 'WITHSCORES')
  call('HSET', p .. ':floors', name, last[2] .. ' ' .. last[1])
end

local function enlarge(name, best, counts)
  local all = call('ZRANGE', best, 0, -1, 'WITHSCORES')
  for i = 1, #all, 1000 do call('HSET', counts, unpack(all, i, math.min(i + 999, #all))) end
  cut(name, best)
end

-- Only those at or before the score at which enough are together.
local function fill(name, best, counts)
  local all, times, scores, together, last = call('HGETALL', counts), {}, {}, 0, nil
  for i = 2, #all, 2 do
    local score = tonumber(all[i])
    if not times[score] then scores[#scores + 1] = score end
    times[score] = (times[score] or 0) + 1
  end
  table.sort(scores)
  for _, score in ipairs(scores) do
    last, together = score, together + times[score]
    if together >= kept then break end
  end
  for i = 2, #all, 2 do
    if tonumber(all[i]) <= last then call('ZADD', best, all[i], all[i - 1]) end
  end
  if together < kept then call('HSET', p .. ':floors', name, everyone) else cut(name, best) end
end

-- Answers whether the sorted set is another than before.
local function moveMembers(best, counts, changes, from, to, floor)
  local members, written, gone, changed = {}, {}, {}, false
  local floorScore, floorMember = floor:match('^(%S+) (.*)$')
  floorScore = tonumber(floorScore)
  for i = from, to, 2 do members[#members + 1] = changes[i] end
  local before = call('HMGET', counts, unpack(members))
  for i = 1, #members do
    local member, by = members[i], changes[from + 2 * i - 1]
    local score = (before[i] or 0) + by
    if score == 0 then gone[#gone + 1] = member
    else
      written[#written + 1] = member
      written[#written + 1] = string.format('%d', score)
    end
    if score ~= 0 and (score < floorScore or (score == floorScore and atOrBefore(member, floorMember))) then
      call('ZADD', best, written[#written], member)
      changed = true
    elseif by > 0 then
      changed = call('ZREM', best, member) == 1 or changed
    end
  end
  if #written > 0 then call('HSET', counts, unpack(written)) end
  if #gone > 0 then call('HDEL', counts, unpack(gone)) end
  return changed
end

local function moveLarge(name, best, changes, floor)
  local counts, changed = p .. ':c:' .. name, false
  for from = 1, #changes, 2000 do
    changed = moveMembers(best, counts, changes, from, math.min(from + 1999, #changes), floor) or changed
  end
  if not changed then return end
  local size = call('ZCARD', best)
  if size > cutAbove then cut(name, best)
  elseif size < asked and floor ~= everyone then fill(name, best, counts) end
end

local function floorsOf(moves)
  local names, floors = {}, {}
  for i = 1, #moves, 2 do names[#names + 1] = moves[i] end
  for from = 1, #names, 1000 do
    local found = call('HMGET', p .. ':floors', unpack(names, from, math.min(from + 999, #names)))
    for i = 1, #found do floors[from + i - 1] = found[i] end
  end
  return floors
end

-- 'turn': a board's size is looked at when many of its members change, and else once in 16 batches.
local function move(moves, turn)
  local floors, room = floorsOf(moves), 5000
  for i = 1, #moves, 2 do
    local name, changes, floor = moves[i], moves[i + 1], floors[(i + 1) / 2]
    local best = p .. ':b:' .. name
    if floor then moveLarge(name, best, changes, floor)
    else
      for j = 1, #changes, 2 do
        local score = call('ZINCRBY', best, changes[j + 1], changes[j])
        if score == '0' or score == '-0' then call('ZREM', best, changes[j]) end
      end
      -- Not too many in one call: boards of an earlier version may be very large.
      if room > 0 and (#changes > 64 or (turn + i) % 32 < 2) then
        local size = call('ZCARD', best)
        if size > large then
          enlarge(name, best, p .. ':c:' .. name)
          room = room - size
        end
      end
    end
  end
end

-- A script that fails does not undo what it did: that generation is marked, and built anew.
local function moveOrSoil(moves, turn)
  local ok, fault = pcall(move, moves, tonumber(turn))
  if ok then return nil end
  local reason = type(fault) == 'table' and fault.err or tostring(fault)
  call('SET', p .. ':dirty', reason)
  return redis.error_reply(reason)
end`;

/**
 * Applies a batch's moves once: mark and moves are one atomic step, so a message that comes twice does nothing.
 * ARGV: generation, producer, sequence, stored at, moves. Answers 1 when it applied, 0 when it had been applied.
 */
export const apply = `${prefix}${move}
local moves = cmsgpack.unpack(ARGV[5])
if call('SETBIT', p .. ':applied:' .. ARGV[2], ARGV[3], 1) == 1 then return 0 end
local failed = moveOrSoil(moves, ARGV[3])
if failed then return failed end
if tonumber(ARGV[4]) > tonumber(call('GET', p .. ':as-of') or '0') then call('SET', p .. ':as-of', ARGV[4]) end
return 1`;

/**
 * One chunk of a generation that is built, at most once; no cell comes in two chunks. ARGV: generation, number of the chunk, cells as
 * board, [member, score, ...], time of the newest batch, then for marks: producer, offset in bytes, bits.
 */
export const load = `${prefix}${move}
local cells = cmsgpack.unpack(ARGV[3])
if call('SETBIT', p .. ':loaded', ARGV[2], 1) == 1 then return 0 end
local failed = moveOrSoil(cells, ARGV[2])
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
