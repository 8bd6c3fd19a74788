-- Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.
local mindtorch = require "mindtorch"
local call = mindtorch.call

for _ = 1, 200 do
  local tensor = call("ones", "", {10000000})
  call("narrow", "", tensor, 0, 0, 10)
end
local leaf = call("ones", "", {10000000})
mindtorch.tensor_set_requires_grad(leaf, 1)
for _ = 1, 50 do
  call("sum", "", call("exp", "", leaf))
end
local status = io.open("/proc/self/status"):read("a")
print(math.tointeger(status:match("VmHWM:%s+(%d+)")) // 1024)
