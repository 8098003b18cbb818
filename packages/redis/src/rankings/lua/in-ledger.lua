-- KEYS[1] the first shard. ARGV: generation.
-- Reply: { the noted epoch as "epoch token", or ""; up to 10,000 batches that were ranked since, as "producer:sequence" }.
--- @include "generation"
local found = call('SRANDMEMBER', p .. ':recent', 10000)
table.insert(found, 1, call('GET', p .. ':epoch') or '')
return found
