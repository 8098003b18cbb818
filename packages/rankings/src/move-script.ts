/*
 * A member whose score returns to 0 leaves its board: a board holds what the rows hold.
 *
 * A sorted set of 100,000 members is slow (docs/decisions/0004-how-boards-are-kept.md has the figures). So a board passes through these
 * states, and never returns to an earlier one:
 *
 *   small   all members are in the sorted set. No floor
 *   large   it had more than `large` members: all scores are in a hash, and the sorted set holds exactly the members before or at the
 *           floor, "score member". It is cut when it holds more than `cutAbove`
 *   back    one of the best fell behind the floor, and the member that takes its place is only in the hash. So all members return to the
 *           sorted set, some hundreds at a time, and moves meanwhile go into both. The batch that triggered it, or its redelivery,
 *           loops; others do one step. Floor: "back cursor"
 *   all     all members are in the sorted set, permanently: repeated falls of the best cost no further work. Floor: "all"
 */
/**
 * Lua: `move(moves, turn)` moves boards; `resume(moves)` continues the return of boards, for moves that were applied before. Both return
 * whether to call again. `orMarkDirty(work, ...)` calls one of them. Needs `call` and `p`, the prefix of the generation.
 */
export const move = `
local large, tooLarge, cutAbove, kept, step = 512, 20000, 160, 120, 500
local floors, texts, stepped = {}, {}, false

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

local function setFloor(name, floor)
  floors[name] = floor
  call('HSET', p .. ':floors', name, floor)
end

local function cut(name, best)
  call('ZREMRANGEBYRANK', best, kept, -1)
  local last = call('ZRANGE', best, -1, -1, 'WITHSCORES')
  setFloor(name, last[2] .. ' ' .. last[1])
end

local function enlarge(name, best, counts)
  local all = call('ZRANGE', best, 0, -1, 'WITHSCORES')
  for i = 1, #all, 1000 do call('HSET', counts, unpack(all, i, math.min(i + 999, #all))) end
  cut(name, best)
end

-- Returns some members to the sorted set, once in a call. Returns whether there are more.
local function takeBack(name, best, counts)
  if stepped then return true end
  stepped = true
  local found = call('HSCAN', counts, floors[name]:match('^back (%d+)$'), 'COUNT', step)
  for i = 1, #found[2], 2 do call('ZADD', best, found[2][i + 1], found[2][i]) end
  -- The cursor alone does not decide: a Redis that restarted, or was a replica, has the hash in another order, and the scan missed members.
  if call('ZCARD', best) < call('HLEN', counts) then
    setFloor(name, 'back ' .. found[1])
    return true
  end
  call('UNLINK', counts)
  setFloor(name, 'all')
  return false
end

-- Returns whether the sorted set has gained members, and whether it has lost one.
local function moveMembers(best, counts, changes, from, to, floor)
  local members, written, gone, won, lost = {}, {}, {}, false, false
  local floorScore, floorMember = floor:match('^(%S+) (.*)$')
  floorScore = floorScore == 'back' and math.huge or tonumber(floorScore)
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
      call('ZADD', best, written[#written], member)
      won = true
    elseif by > 0 or score == 0 then
      lost = call('ZREM', best, member) == 1 or lost
    end
  end
  if #written > 0 then call('HSET', counts, unpack(written)) end
  if #gone > 0 then call('HDEL', counts, unpack(gone)) end
  return won, lost
end

local function moveLarge(name, best, counts, changes)
  local won, lost = false, false
  for from = 1, #changes, 2000 do
    local w, l = moveMembers(best, counts, changes, from, math.min(from + 1999, #changes), floors[name])
    won, lost = won or w, lost or l
  end
  if floors[name]:sub(1, 5) == 'back ' then
    takeBack(name, best, counts)
    return false
  end
  if lost then
    setFloor(name, 'back 0')
    return takeBack(name, best, counts)
  end
  if won and call('ZCARD', best) > cutAbove then cut(name, best) end
  return false
end

local function readFloors(moves)
  local names = {}
  for i = 1, #moves, 2 do names[#names + 1] = moves[i] end
  for from = 1, #names, 1000 do
    local to = math.min(from + 999, #names)
    local found = call('HMGET', p .. ':floors', unpack(names, from, to))
    for i = from, to do
      local floor = found[i - from + 1]
      if floor then floors[names[i]] = floor end
    end
  end
end

-- 'turn': checks the size of a board when many of its members change, and otherwise once in 16 batches.
local function move(moves, turn)
  readFloors(moves)
  local room, more = 5000, false
  local bests, counts = p .. ':b:', p .. ':c:'
  for i = 1, #moves, 2 do
    local name, changes = moves[i], moves[i + 1]
    local best, floor = bests .. name, floors[name]
    if floor and floor ~= 'all' then more = moveLarge(name, best, counts .. name, changes) or more
    else
      for j = 1, #changes, 2 do
        local score = call('ZINCRBY', best, textOf(changes[j + 1]), changes[j])
        if score == '0' or score == '-0' then call('ZREM', best, changes[j]) end
      end
      if not floor and room > 0 and (#changes > 64 or (turn + i) % 32 < 2) then
        local size = call('ZCARD', best)
        -- A board of an earlier version may have a hundred thousand: rewriting it would block Redis.
        if size > tooLarge then setFloor(name, 'all')
        elseif size > large then
          enlarge(name, best, counts .. name)
          room = room - size
        end
      end
    end
  end
  return more
end

-- Continues the return of boards; the moves were applied before.
local function resume(moves)
  readFloors(moves)
  local more = false
  for i = 1, #moves, 2 do
    local name = moves[i]
    local floor = floors[name]
    if floor and floor:sub(1, 5) == 'back ' then more = takeBack(name, p .. ':b:' .. name, p .. ':c:' .. name) or more end
  end
  return more
end

-- A failing script does not undo its writes: the generation is dirty then and will be rebuilt. Returns the failure, and the result of work.
local function orMarkDirty(work, ...)
  local ok, answer = pcall(work, ...)
  if ok then return nil, answer end
  local reason = type(answer) == 'table' and answer.err or tostring(answer)
  call('SET', p .. ':dirty', reason)
  return redis.error_reply(reason)
end`;
