-- KEYS[1] the shard. ARGV: generation, board, member. Reply: its score, or nil.
--- @include "generation"
return call('ZSCORE', p .. ':b:' .. ARGV[2], ARGV[3]) or call('HGET', p .. ':c:' .. ARGV[2], ARGV[3])
