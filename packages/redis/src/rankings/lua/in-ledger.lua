-- KEYS[1] the first shard. ARGV: generation, a place among the batches that were ranked since an epoch: first "0".
-- Reply: { the noted epoch as "epoch token", or ""; the next place, "0" at the end; some batches, as "producer:sequence" }.
--- @include "generation"
return { call('GET', p .. ':epoch') or '', unpack(call('SSCAN', p .. ':recent', ARGV[2], 'COUNT', 2000)) }
