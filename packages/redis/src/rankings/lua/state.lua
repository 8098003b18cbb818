-- KEYS[1] the shard. ARGV: generation. Reply, "" where absent: { the live generation; why this one is dirty; when its
-- newest batch was stored; when its newest one that was found in the ledger was stored }.
--- @include "generation"
local live = call('GET', KEYS[1] .. ':generation')
local found = call('MGET', p .. ':dirty', p .. ':as-of', p .. ':in-ledger')
return { live or '', found[1] or '', found[2] or '', found[3] or '' }
