-- Loads a chunk of a generation, once; no cell is in two chunks. KEYS[1] the shard.
-- ARGV: generation, number of the chunk, cells as moves, when the newest batch was stored (ms since 1970), and for each
-- part of the marks: producer, offset in bytes, bits. Reply: 1, or 0 when the chunk was loaded before.
--- @include "generation"
--- @include "move"
local cells = cmsgpack.unpack(ARGV[3])
if call('SETBIT', p .. ':loaded', ARGV[2], 1) == 1 then return 0 end
local failed = orMarkDirty(move, cells)
if failed then return failed end
call('SET', p .. ':as-of', ARGV[4])
for i = 5, #ARGV, 3 do call('SETRANGE', p .. ':applied:' .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return 1
