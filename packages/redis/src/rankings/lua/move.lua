--[[
Moves boards. A member whose score returns to 0 leaves its board: a board holds what the rows hold. A sorted set of
100,000 members is slow (docs/decisions/0004-how-boards-are-kept.md has the figures), so a board that can grow keeps
only its best in one.

A board has all scores in a hash, and in a sorted set exactly the members before or at its floor, "score member";
without a floor, all. The set is cut when it holds more than `limits.cutAbove`. When one of the best falls behind the
floor, the member that takes its place is only in the hash. Then the floor is:

  "back <cursor>"  all members return to the sorted set, some hundreds at a time, and moves meanwhile go into both. The
                   batch that triggered it, or its redelivery, loops until it is done; others do one step
  "all"            all members are in the sorted set, permanently: repeated falls of the best cost no further work

Mirrored counts have two boards each. That of the key is a sorted set of all its members, and there are few of them.
That of the member is a sorted set of those before or at its floor: a count that has changed is read from the board of
its key. What falls behind the floor leaves the sorted set, and the floor stays: who is next is not known, so the set may
become too short for a read (top.lua). A count stops at +-(2^53 - 1): doubles are exact up to there.

The mirrored counts of a day also have the boards of the chain: "<day>/all:items" has the sum of each key whose board is
in this shard, "<day>/all:stores" that of each member over these keys. A hash has all sums by id, also those of 0. Of
keys, the sorted set has those before or at its floor, as that of a member has, and may become too short likewise.

Needs `call` and `p` of generation.lua. `moves`: see encode-moves.ts.
  move(moves)             moves boards; returns whether to call again
  resume(moves)           continues the return of boards, for moves that are on them; returns whether to call again
  orMarkDirty(work, ...)  calls one of them; returns the error reply of a failure, or nil and what it returns
]]
local step, limits, mirrorLimits = 500, { kept = 120, cutAbove = 160 }, { kept = 104, cutAbove = 112 }
local floors, texts, stepped = {}, {}, false
-- NaN is at or before no floor.
local countMin, countMax, absent = 1 - 2 ^ 53, 2 ^ 53 - 1, 0 / 0

-- By bytes, like the sorted set; Lua's < depends on the locale.
local function atOrBefore(a, b)
  for i = 1, math.min(#a, #b) do
    if a:byte(i) ~= b:byte(i) then return a:byte(i) < b:byte(i) end
  end
  return #a <= #b
end

-- Redis formats a Lua number slowly, and most scores recur.
local function textOf(score)
  local text = texts[score]
  if not text then
    text = string.format('%d', score)
    texts[score] = text
  end
  return text
end

local function stopped(score) return math.max(countMin, math.min(score, countMax)) end

local function setFloor(name, floor)
  floors[name] = floor
  call('HSET', p .. ':floors', name, floor)
end

local function cut(name, best, sizes)
  if call('ZCARD', best) <= sizes.cutAbove then return false end
  call('ZREMRANGEBYRANK', best, sizes.kept, -1)
  local last = call('ZRANGE', best, -1, -1, 'WITHSCORES')
  setFloor(name, last[2] .. ' ' .. last[1])
  return true
end

-- Returns some members to the sorted set, once in a call. Returns whether there are more.
local function takeBack(name, best, counts)
  if stepped then return true end
  stepped = true
  local found = call('HSCAN', counts, floors[name]:match('^back (%d+)$'), 'COUNT', step)
  for i = 1, #found[2], 2 do call('ZADD', best, found[2][i + 1], found[2][i]) end
  -- The cursor alone does not decide: a Redis that restarted, or was a replica, has the hash in another order, and the
  -- scan missed members.
  if call('ZCARD', best) < call('HLEN', counts) then
    setFloor(name, 'back ' .. found[1])
    return true
  end
  call('UNLINK', counts)
  setFloor(name, 'all')
  return false
end

local function parse(floor)
  local at = floor:find(' ', 1, true)
  return tonumber(floor:sub(1, at - 1)), floor:sub(at + 1)
end

-- Returns whether the sorted set has gained members, and whether it has lost one that must be replaced.
local function moveMembers(best, counts, changes, from, to, floor)
  local members, written, gone, added, lost = {}, {}, {}, {}, false
  local floorScore, floorMember = math.huge, nil
  if floor and floor:sub(1, 5) ~= 'back ' then floorScore, floorMember = parse(floor) end
  for i = from, to, 2 do members[#members + 1] = changes[i] end
  local before = call('HMGET', counts, unpack(members))
  for i = 1, #members do
    local member, by = members[i], changes[from + 2 * i - 1]
    local score = (before[i] or 0) + by
    if score == 0 then gone[#gone + 1] = member
    else
      written[#written + 1] = member
      written[#written + 1] = textOf(score)
    end
    if score ~= 0 and (score < floorScore or (score == floorScore and atOrBefore(member, floorMember))) then
      added[#added + 1] = written[#written]
      added[#added + 1] = member
    elseif by > 0 or score == 0 then
      lost = call('ZREM', best, member) == 1 or lost
    end
  end
  if #written > 0 then call('HSET', counts, unpack(written)) end
  if #gone > 0 then call('HDEL', counts, unpack(gone)) end
  if #added > 0 then call('ZADD', best, unpack(added)) end
  return #added > 0, lost
end

local function moveBoard(name, best, counts, changes)
  local won, lost = false, false
  for from = 1, #changes, 2000 do
    local w, l = moveMembers(best, counts, changes, from, math.min(from + 1999, #changes), floors[name])
    won, lost = won or w, lost or l
  end
  local floor = floors[name]
  if floor and floor:sub(1, 5) == 'back ' then
    takeBack(name, best, counts)
    return false
  end
  if floor and lost then
    setFloor(name, 'back 0')
    return takeBack(name, best, counts)
  end
  if won then cut(name, best, limits) end
  return false
end

local function readFloors(names)
  for from = 1, #names, 1000 do
    local to = math.min(from + 999, #names)
    local found = call('HMGET', p .. ':floors', unpack(names, from, to))
    for i = from, to do
      local floor = found[i - from + 1]
      if floor then floors[names[i]] = floor end
    end
  end
end

-- As encodeMember does. An id recurs in other series and sums.
local digits, places = '0123456789abcdefg', {}
local function placeOf(id)
  local place = places[id]
  if not place then
    local length = #id
    local isNumber = length < 17 and (id == '0' or id:find('^[1-9]%d*$'))
    place = (isNumber and digits:sub(length + 1, length + 1) or 'z') .. id
    places[id] = place
  end
  return place
end

-- As chainBoards in packages/contract.
local function chainBoard(prefix)
  local series, list = prefix:match('^(%d%d%d%d%d%d%d%d/.-)([^/]*):$')
  return series and series .. 'all:' .. list .. 's'
end

local function addTo(sums, id, by)
  local sum = sums[id]
  if not sum then sums[#sums + 1] = id end
  sums[id] = (sum or 0) + by
end

-- Moves a board of the chain. `sums`: changes of scores by id, and a list of the ids.
local function moveSums(board, sums, isOfKeys)
  local best, all = p .. ':b:' .. board, p .. ':c:' .. board
  for from = 1, #sums, 1000 do
    local to, written, added = math.min(from + 999, #sums), {}, {}
    local before = call('HMGET', all, unpack(sums, from, to))
    local floorScore, floorMember = math.huge, nil
    if floors[board] then floorScore, floorMember = parse(floors[board]) end
    for i = from, to do
      local id = sums[i]
      local by = sums[id]
      local score = stopped((before[i - from + 1] or 0) + by)
      local text = textOf(score)
      written[#written + 1] = id
      written[#written + 1] = text
      if isOfKeys then
        if score ~= 0 and score <= floorScore and (score < floorScore or atOrBefore(placeOf(id), floorMember)) then
          added[#added + 1] = text
          added[#added + 1] = placeOf(id)
        elseif by > 0 or score == 0 then call('ZREM', best, placeOf(id)) end
      end
    end
    call('HSET', all, unpack(written))
    if #added > 0 then
      call('ZADD', best, unpack(added))
      cut(board, best, limits)
    end
  end
end

-- Adds the first `n` of `added` to the best of a member. Returns whether there is a new floor.
local added = {}
local function addBest(name, best, n)
  return n > 0 and call('ZADD', best, unpack(added, 1, n)) > 0 and cut(name, best, mirrorLimits)
end

-- Moves the counts of a member in one series.
local function moveMember(name, keys, member, changes)
  local best, floorScore, floorMember, n = p .. ':b:' .. name, math.huge, nil, 0
  if floors[name] then floorScore, floorMember = parse(floors[name]) end
  for i = 1, #changes, 2 do
    local key, by = changes[i], changes[i + 1]
    local text = call('ZINCRBY', keys .. key, textOf(by), member)
    local score = tonumber(text)
    local isUsual = by < 0 and score < 0 and score >= countMin
    -- Up to 128 members Redis keeps a sorted set packed, also with its default settings.
    if n == 32 or not isUsual then
      if addBest(name, best, n) then floorScore, floorMember = parse(floors[name]) end
      n = 0
    end
    if not isUsual then
      -- Fallen, not positive or too large. It may be behind the floor now; if it is not, it is added again.
      call('ZREM', best, placeOf(key))
      score = stopped(score)
      text = textOf(score)
      if score ~= 0 then call('ZADD', keys .. key, text, member)
      else
        call('ZREM', keys .. key, member)
        score = absent
      end
    end
    if score < floorScore or (score == floorScore and atOrBefore(placeOf(key), floorMember)) then
      added[n + 1], added[n + 2] = text, placeOf(key)
      n = n + 2
    end
  end
  addBest(name, best, n)
end

local function split(text)
  local parts = {}
  for part in (text .. ','):gmatch('([^,]*),') do parts[#parts + 1] = part end
  return parts
end

-- `prefixes`, `mirrorPrefixes`: of joined boards, separated by commas.
local function moveMirrored(prefixes, mirrorPrefixes, groups)
  local mirrors, chains = split(mirrorPrefixes), {}
  for n, prefix in ipairs(split(prefixes)) do
    local mirrorPrefix, names = mirrors[n] or '', {}
    for i = 1, #groups, 2 do names[#names + 1] = mirrorPrefix .. groups[i] end
    local chain = chainBoard(prefix)
    if chain then
      names[#names + 1] = chain
      chains[chain] = chainBoard(mirrorPrefix)
    end
    readFloors(names)
    local keys = p .. ':b:' .. prefix
    for i = 1, #groups, 2 do moveMember(names[(i + 1) / 2], keys, placeOf(groups[i]), groups[i + 1]) end
  end
  if not next(chains) then return end
  local ofKeys, ofMembers = {}, {}
  for i = 1, #groups, 2 do
    local changes, sum = groups[i + 1], 0
    for j = 1, #changes, 2 do
      addTo(ofKeys, changes[j], changes[j + 1])
      sum = sum + changes[j + 1]
    end
    addTo(ofMembers, groups[i], sum)
  end
  for keys, members in pairs(chains) do
    moveSums(keys, ofKeys, true)
    moveSums(members, ofMembers, false)
  end
end

local function readFloorsOf(moves)
  local names = {}
  for i = 1, #moves, 2 do names[#names + 1] = moves[i] end
  readFloors(names)
end

local function move(moves)
  local boards, mirrored, more = moves[1], moves[2], false
  readFloorsOf(boards)
  for i = 1, #boards, 2 do
    local name, changes = boards[i], boards[i + 1]
    local best, counts = p .. ':b:' .. name, p .. ':c:' .. name
    if floors[name] == 'all' then
      for j = 1, #changes, 2 do
        local score = call('ZINCRBY', best, textOf(changes[j + 1]), changes[j])
        if score == '0' or score == '-0' then call('ZREM', best, changes[j]) end
      end
    else more = moveBoard(name, best, counts, changes) or more end
  end
  for i = 1, #mirrored, 3 do moveMirrored(mirrored[i], mirrored[i + 1], mirrored[i + 2]) end
  return more
end

local function resume(moves)
  local boards, more = moves[1], false
  readFloorsOf(boards)
  for i = 1, #boards, 2 do
    local name = boards[i]
    local floor = floors[name]
    if floor and floor:sub(1, 5) == 'back ' then
      more = takeBack(name, p .. ':b:' .. name, p .. ':c:' .. name) or more
    end
  end
  return more
end

-- A failing script does not undo its writes: the generation is dirty then and will be rebuilt.
local function orMarkDirty(work, ...)
  local ok, answer = pcall(work, ...)
  if ok then return nil, answer end
  local reason = type(answer) == 'table' and answer.err or tostring(answer)
  call('SET', p .. ':dirty', reason)
  return redis.error_reply(reason)
end
