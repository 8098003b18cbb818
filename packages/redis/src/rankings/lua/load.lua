-- Loads a chunk of a generation, once; no cell is in two chunks. KEYS[1] the shard.
-- ARGV: generation, number of the chunk, cells, when the newest batch was stored (ms since 1970; 0 in all but the last
-- ones, which a cluster may run first), and for each part of the marks: producer, offset in bytes, bits. Reply: 1, or 0
-- when the chunk was loaded before.
-- Cells are moves, and perhaps places of mirrored boards: { prefix, mirror prefix, [board, [score, member, …], true for
-- the first of a member, …] }. Of these boards no chunk has moves.
--- @include "generation"
--- @include "move"
local function place(prefix, mirrorPrefix, places)
  local chain, ofKeys, ofMembers = chainBoard(prefix), {}, {}
  for i = 1, #places, 3 do
    local name, list, isOfMember = places[i], places[i + 1], places[i + 2]
    local board = p .. ':b:' .. name
    call('ZADD', board, unpack(list))
    if isOfMember then cut(name, board, mirrorLimits) end
    for j = 1, chain and not isOfMember and #list or 0, 2 do
      addTo(ofKeys, name:sub(#prefix + 1), list[j])
      addTo(ofMembers, list[j + 1]:sub(2), list[j])
    end
  end
  if #ofKeys == 0 then return end
  readFloors({ chain })
  moveSums(chain, ofKeys, true)
  moveSums(chainBoard(mirrorPrefix), ofMembers, false)
end

local cells = cmsgpack.unpack(ARGV[3])
if call('SETBIT', p .. ':loaded', ARGV[2], 1) == 1 then return 0 end
local failed = orMarkDirty(function()
  move(cells)
  if cells[3] then place(unpack(cells[3])) end
end)
if failed then return failed end
call(ARGV[4] == '0' and 'SETNX' or 'SET', p .. ':as-of', ARGV[4])
for i = 5, #ARGV, 3 do call('SETRANGE', p .. ':applied:' .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return 1
