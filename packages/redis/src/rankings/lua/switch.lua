-- Makes a generation the live one if all its chunks are present: Redis may have restarted half-way, from an older file.
-- KEYS[1] the shard. ARGV: generation, number of chunks, "switch" or "check" (changes nothing).
-- Reply: 1, also when it is live already; 0 when a chunk is missing or a script failed half-way.
--- @include "generation"
if call('GET', KEYS[1] .. ':generation') == ARGV[1] then return 1 end
if call('BITCOUNT', p .. ':loaded') ~= tonumber(ARGV[2]) or call('EXISTS', p .. ':dirty') == 1 then return 0 end
if ARGV[3] == 'check' then return 1 end
call('SET', KEYS[1] .. ':generation', ARGV[1])
call('DEL', p .. ':loaded')
return 1
