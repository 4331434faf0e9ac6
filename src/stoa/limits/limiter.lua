-- One step of the limiter over all processes: give a unit back, look at a bucket and at its guard,
-- take a unit.
--
-- KEYS: the log to give back to, the log of the bucket, the log of its guard. A log is a list of the
-- times (ms) of the units taken, oldest first, and expires when the last of them leaves its window.
-- ARGV: the time, 0 for this server's; the unit to give back, 0 for none; limit and window of the
-- bucket; limit and window of the guard. A limit of 0 means unlimited.
-- Returns: 0 when a unit was taken, else 1 or 2 for the bucket or the guard that is full; the time
-- that was used; the oldest unit of that bucket; how many it holds. If the bucket is unlimited, no unit
-- is taken and the last two are of the guard.

local now = tonumber(ARGV[1])
local own_time = now == 0
if own_time then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A clock that steps back, after a fail-over say, must not bring a log out of order. A log from more
-- than a minute ahead was counted by a clock that has been set right since, and begins anew: it
-- would be full until that time comes.
local clock_step_ms = 60000
local function not_before(key)
  local newest = tonumber(redis.call('LINDEX', key, -1) or 0)
  if own_time and newest > now + clock_step_ms then
    redis.call('DEL', key)
  elseif newest > now then
    now = newest
  end
end

local function counted(key, window)
  local oldest = tonumber(redis.call('LINDEX', key, 0) or 0)
  while oldest > 0 and oldest <= now - window do
    redis.call('LPOP', key)
    oldest = tonumber(redis.call('LINDEX', key, 0) or 0)
  end
  return oldest, redis.call('LLEN', key)
end

if ARGV[2] ~= '0' then redis.call('LREM', KEYS[1], 1, ARGV[2]) end

local limits = {tonumber(ARGV[3]), tonumber(ARGV[5])}
local windows = {tonumber(ARGV[4]), tonumber(ARGV[6])}
for place = 1, 2 do
  if limits[place] > 0 then not_before(KEYS[place + 1]) end
end
local oldest, count = 0, 0
for place = 1, 2 do
  if limits[place] > 0 then
    oldest, count = counted(KEYS[place + 1], windows[place])
    if count >= limits[place] then return {place, now, oldest, count} end
  end
end
if limits[1] == 0 then return {0, now, oldest, count} end

redis.call('RPUSH', KEYS[2], string.format('%.0f', now))
-- Keys expire by this server's clock, which says nothing about times of another.
if own_time then redis.call('PEXPIRE', KEYS[2], windows[1]) end
return {0, now, tonumber(redis.call('LINDEX', KEYS[2], 0)), redis.call('LLEN', KEYS[2])}
