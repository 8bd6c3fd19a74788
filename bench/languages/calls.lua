-- What calls from Lua cost: prints `name seconds`, as calls.c does.
local mindtorch = require "mindtorch"

-- Lua knows the processor's time only, in which the threads of a product add up: for that one, the system's clock.
local function wall()
  local file = io.popen("date +%s.%N")
  local seconds = tonumber(file:read("l"))
  file:close()
  return seconds
end

local function measure(name, repeats, rounds, call, clock)
  local best = math.huge
  call()
  for _ = 1, rounds do
    local begun = clock()
    for _ = 1, repeats do call() end
    best = math.min(best, (clock() - begun) / repeats)
  end
  print(string.format("%s %.9f", name, best))
end

local a, b = mindtorch.tensor({1}), mindtorch.tensor({1})
local square = mindtorch.ones({1024, 1024})
local packed = string.rep(string.pack("d", 0), 1000000)
local numbers = mindtorch.tensor_from_bytes(packed, {1000000}, mindtorch.MT_FLOAT64)
measure("add", 500, 400, function() return a:add(b) end, os.clock)
measure("mm", 10, 2, function() square:mm(square):close() end, wall)
measure("in", 1, 20, function() mindtorch.tensor_from_bytes(packed, {1000000}, mindtorch.MT_FLOAT64):close() end, os.clock)
measure("out", 1, 20, function() return numbers:to_bytes() end, os.clock)
