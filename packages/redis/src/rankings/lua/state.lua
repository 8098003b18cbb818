-- KEYS[1] the shard. ARGV: generation. Reply, "" where absent: { the live generation; why this one is dirty }.
--- @include "generation"
local live = call('GET', KEYS[1] .. ':generation')
return { live or '', call('GET', p .. ':dirty') or '' }
