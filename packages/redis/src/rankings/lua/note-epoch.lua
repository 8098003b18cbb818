-- Notes an epoch that the database has, and that it was opened after some batches were found there.
-- KEYS[1] the first shard. ARGV: generation, epoch, token, batches as "producer:sequence".
-- Reply: 1, or 0 if this epoch or a later one is noted: another auditor may have seen another database.
--- @include "generation"
local noted = call('GET', p .. ':epoch')
if noted and tonumber(noted:match('^%d+')) >= tonumber(ARGV[2]) then return 0 end
call('SET', p .. ':epoch', ARGV[2] .. ' ' .. ARGV[3])
for i = 4, #ARGV do call('SREM', p .. ':recent', ARGV[i]) end
return 1
