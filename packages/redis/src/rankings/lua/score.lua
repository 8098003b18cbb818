-- KEYS[1] the shard. ARGV: generation, board, member. Reply: its score, or nil. Fails if Redis has lost the
-- rankings, or a script failed half-way.
--- @include "generation"
if g == '1' or call('EXISTS', p .. ':dirty') == 1 then return redis.error_reply('UNBUILT no whole generation') end
return call('ZSCORE', p .. ':b:' .. ARGV[2], ARGV[3]) or call('HGET', p .. ':c:' .. ARGV[2], ARGV[3])
