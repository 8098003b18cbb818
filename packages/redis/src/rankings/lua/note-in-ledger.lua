-- Notes that a batch was found in the ledger.
-- KEYS[1] the shard. ARGV: generation, when the batch was stored (ms since 1970). Reply: 1.
--- @include "generation"
call('SET', p .. ':in-ledger', ARGV[2])
return 1
