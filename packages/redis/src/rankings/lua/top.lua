-- KEYS[1] the shard. ARGV: generation, board, limit; 0: all sums of a board of the chain, by id and in no order.
-- Reply: { when the newest batch was stored, or nil; the first members of the board, each followed by its score; 1 if
-- members are missing there, because the sorted set is too short, and not all of the board; 2 if counts are, because
-- Redis has lost the rankings, or a script failed half-way; else 0; which series there are, or nil }.
--- @include "generation"
local limit = tonumber(ARGV[3])
local places = limit == 0 and call('HGETALL', p .. ':c:' .. ARGV[2])
  or call('ZRANGE', p .. ':b:' .. ARGV[2], 0, limit - 1, 'WITHSCORES')
local floor = #places < 2 * limit and call('HGET', p .. ':floors', ARGV[2])
local isWrong = g == '1' or call('EXISTS', p .. ':dirty') == 1
local isShort = floor and floor ~= 'all'
return { call('GET', p .. ':as-of'), places, isWrong and 2 or isShort and 1 or 0, call('GET', p .. ':series') }
