-- KEYS[1] the shard. ARGV: generation, boards. Reply: the SHA-1 of "member score member score …" of each sorted set.
--- @include "generation"
local digests = {}
for i = 2, #ARGV do
  digests[#digests + 1] = redis.sha1hex(table.concat(call('ZRANGE', p .. ':b:' .. ARGV[i], 0, -1, 'WITHSCORES'), ' '))
end
return digests
