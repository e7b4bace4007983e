-- Every change of a tenant's working memory, counted and bounded in one step.
--
-- KEYS: 1 the task's hash, 2 sizes by member, 3 sums (of the tenant, by agent), 4 members by when
-- they run out, 5 the agent's tasks by when the last of them runs out, 6 the mark that each erasure
-- of the tenant changes.
-- ARGV: 1 operation, 2 place (scope|agent|task), 3 field, and what the operation takes.
-- A member is place|field. Valkey itself ends a field; what it weighed is taken off by whoever
-- writes next, so that no field is counted for longer than it could be read.
-- Returns {code, number, cleared}: `cleared` tells how much had run out and was taken off.

local hash, sizes, sums, due, tasks = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local operation, place, field = ARGV[1], ARGV[2], ARGV[3]
local AT_ONCE = 500
local LONGEST = 90000000 -- milliseconds: somewhat more than a day, the most that a field may live

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function agent_of(member)
  return string.match(member, '^[^|]*|([^|]*)|')
end

local function add(agent, bytes)
  for _, name in ipairs({'tenant', 'agent:' .. agent}) do
    if redis.call('HINCRBY', sums, name, bytes) <= 0 then
      redis.call('HDEL', sums, name)
    end
  end
end

local function take_off(member)
  local size = tonumber(redis.call('HGET', sizes, member) or '0')
  if size > 0 then
    redis.call('HDEL', sizes, member)
    add(agent_of(member), -size)
  end
  redis.call('ZREM', due, member)
end

local function clear_old()
  local gone = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, AT_ONCE)
  for _, member in ipairs(gone) do
    take_off(member)
  end
  return #gone
end

local function keys_of()
  local count = redis.call('HLEN', hash)
  if count >= tonumber(ARGV[7]) then
    count = #redis.call('HKEYS', hash) -- without those that have run out
  end
  return count
end

local function joined(how, current, value)
  if not current then
    if how == 'item' then
      return '[' .. value .. ']'
    end
    return value
  end
  if how == 'item' then
    if current == '[]' then
      return '[' .. value .. ']'
    end
    return string.sub(current, 1, -2) .. ',' .. value .. ']'
  end
  if how == 'text' and current ~= '""' then
    return string.sub(current, 1, -2) .. '\\n' .. string.sub(value, 2)
  end
  return value
end

-- ARGV: 4 value, 5 milliseconds to live, 6 most bytes of a value, 7 most keys of a task, 8 most
-- bytes of an agent, 9 of the tenant, 10 what a field costs beside its own bytes, and of a swap 11
-- the value that it takes the place of, empty for none; of what is brought back from a copy 12 the
-- mark that was there before the copy was read
local function write()
  if ARGV[12] and redis.call('GET', KEYS[6]) ~= ARGV[12] then
    return {'erased', 0, 0}
  end
  redis.call('HPTTL', hash, 'FIELDS', 1, field) -- fails before anything is written on old servers
  local member, cleared = place .. '|' .. field, clear_old()
  local run_out = redis.call('ZSCORE', due, member)
  if run_out and tonumber(run_out) <= now then
    take_off(member)
  end
  local current = redis.call('HGET', hash, field)
  if operation == 'new' and current then
    return {'kept', 0, cleared}
  end
  if operation == 'swap' and (current or '') ~= ARGV[11] then
    return {'kept', 0, cleared}
  end
  local value = joined(operation, current, ARGV[4])
  if #value > tonumber(ARGV[6]) then
    return {'value', #value, cleared}
  end
  local old = tonumber(redis.call('HGET', sizes, member) or '0')
  local size = #value + #field + 2 * #member + tonumber(ARGV[10])
  local agent, more = agent_of(member), size - old
  if not current and keys_of() >= tonumber(ARGV[7]) then
    return {'keys', 0, cleared}
  end
  if more > 0 then
    for _, bound in ipairs({{'agent', 'agent:' .. agent, ARGV[8]}, {'tenant', 'tenant', ARGV[9]}}) do
      local sum = tonumber(redis.call('HGET', sums, bound[2]) or '0')
      if sum + more > tonumber(bound[3]) then
        return {bound[1], sum, cleared}
      end
    end
  end
  local at = now + tonumber(ARGV[5])
  redis.call('HSET', hash, field, value)
  redis.call('HPEXPIREAT', hash, at, 'FIELDS', 1, field)
  redis.call('HSET', sizes, member, size)
  add(agent, more)
  redis.call('ZADD', due, at, member)
  redis.call('ZADD', tasks, 'GT', at, place)
  redis.call('ZREMRANGEBYSCORE', tasks, '-inf', now)
  for _, key in ipairs({sizes, sums, due, tasks}) do
    redis.call('PEXPIRE', key, LONGEST)
  end
  return {'done', #value, cleared}
end

local function remove()
  local held = redis.call('HDEL', hash, field)
  if held == 1 then
    take_off(place .. '|' .. field)
  end
  return {'done', held, 0}
end

-- ARGV: 4 the value that goes; where another one stands there by now, that stays. A task of which
-- nothing is left is no longer listed.
local function take()
  clear_old()
  if redis.call('HGET', hash, field) ~= ARGV[4] then
    return {'kept', 0, 0}
  end
  local done = remove()
  if #redis.call('HKEYS', hash) == 0 then
    redis.call('DEL', hash)
    redis.call('ZREM', tasks, place)
  end
  return done
end

local function drop()
  clear_old()
  local fields = redis.call('HKEYS', hash)
  for _, name in ipairs(fields) do
    take_off(place .. '|' .. name)
  end
  redis.call('DEL', hash)
  redis.call('ZREM', tasks, place)
  return {'done', #fields, 0}
end

if operation == 'remove' then
  return remove()
elseif operation == 'take' then
  return take()
elseif operation == 'drop' then
  return drop()
end
return write()
