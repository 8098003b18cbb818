-- Ranks a batch once: its mark and its moves are one atomic step, so a message that comes again does nothing.
-- KEYS[1] the shard.
-- ARGV: generation, producer, sequence, when the batch was stored (ms since 1970), moves as MessagePack, 1 for the
-- first shard, which notes the batch as recent, and the series that the moves have (textOfSeries in packages/contract).
-- Reply: { 1 if the batch was new, else 0; 1 if the caller must call again: a board returns to its sorted set }.
--- @include "generation"
--- @include "move"
local moves = cmsgpack.unpack(ARGV[5])
local isNew = call('SETBIT', p .. ':applied:' .. ARGV[2], ARGV[3], 1) == 0
local failed, more = orMarkDirty(isNew and move or resume, moves)
if failed then return failed end
if isNew and tonumber(ARGV[4]) > tonumber(call('GET', p .. ':as-of') or '0') then
  call('SET', p .. ':as-of', ARGV[4])
end
-- Readers must not believe a generation that lacks moves. The auditor rebuilds it when no message lacks what is asked for.
local needs = isNew and call('GET', p .. ':needs')
if isNew and not needs and #(ARGV[7] or '') > 0 then call('SET', p .. ':needs', ARGV[7]) end
local lacking = {}
for series in (needs or ''):gmatch('[^,]+') do
  if not (',' .. ARGV[7] .. ','):find(',' .. series .. ',', 1, true) then lacking[#lacking + 1] = series end
end
if #lacking > 0 then
  call('DEL', p .. ':series')
  call('SET', p .. ':lacks-series', table.concat(lacking, ','), 'EX', 60)
end
-- A batch that is in no ledger has the time 0 (bench/measure/designs): the auditor must not look for it there.
if isNew and ARGV[6] == '1' and ARGV[4] ~= '0' then call('SADD', p .. ':recent', ARGV[2] .. ':' .. ARGV[3]) end
return { isNew and 1 or 0, more and 1 or 0 }
