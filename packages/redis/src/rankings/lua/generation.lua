-- Chooses a generation. Each script that includes this has
--   KEYS[1]  the shard: the beginning of its keys
--   KEYS[2]  in a cluster: a key that never exists (see scripts.ts)
--   ARGV[1]  a generation; "" for the live one; "x4" for the live one if it has 4 shards (see live-shards.ts)
-- Fails with "SHARDS <number>" when the live one has another number of shards. `p`: the prefix of the keys.
local call = redis.call
local g = ARGV[1]
if g == '' or g:byte() == 120 then
  -- '1': firstGeneration of keys.ts
  g = call('GET', KEYS[1] .. ':generation') or '1'
  local found = g:match('x%d+$')
  if ARGV[1] ~= '' and found and found ~= ARGV[1] then return redis.error_reply('SHARDS ' .. found:sub(2)) end
end
local p = KEYS[1] .. ':' .. g
