-- KEYS[1] the shard. ARGV: generation, producer, sequences. Reply: the sequences without a mark.
--- @include "generation"
local marks = p .. ':applied:' .. ARGV[2]
local missing = {}
for i = 3, #ARGV do
  if call('GETBIT', marks, ARGV[i]) == 0 then missing[#missing + 1] = ARGV[i] end
end
return missing
