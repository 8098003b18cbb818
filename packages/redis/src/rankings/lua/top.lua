-- KEYS[1] the shard. ARGV: generation, board, limit.
-- Reply: { when the newest batch was stored, or nil; the first members of the board, each followed by its score }.
--- @include "generation"
return { call('GET', p .. ':as-of'), call('ZRANGE', p .. ':b:' .. ARGV[2], 0, ARGV[3] - 1, 'WITHSCORES') }
