-- Returns the right to build, if it is that of this generation.
-- KEYS[1] the shard. ARGV: generation. Reply: 1.
local key = KEYS[1] .. ':builder'
if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
return 1
