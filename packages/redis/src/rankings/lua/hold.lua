-- Takes or renews the right to build a generation.
-- KEYS[1] the shard. ARGV: generation, time to live in ms. Reply: 1, or 0 while another one builds.
local key = KEYS[1] .. ':builder'
local holder = redis.call('GET', key)
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
return 1
