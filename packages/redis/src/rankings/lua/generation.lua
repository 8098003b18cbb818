-- Chooses a generation; `p` is the prefix of its keys. KEYS[1] the shard, the beginning of its keys. KEYS[2] in a
-- cluster: never exists (scripts.ts). ARGV[1] a generation, "" for the live one, or "x4" for the live one if it has 4
-- shards (live-shards.ts): with another number it fails with "SHARDS <number>".
local call = redis.call
local g = ARGV[1]
if g == '' or g:byte() == 120 then
  -- '1': firstGeneration of live-shards.ts
  g = call('GET', KEYS[1] .. ':generation') or '1'
  local found = g:match('x%d+$')
  if ARGV[1] ~= '' and found and found ~= ARGV[1] then return redis.error_reply('SHARDS ' .. found:sub(2)) end
end
local p = KEYS[1] .. ':' .. g
