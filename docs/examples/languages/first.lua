-- An operator, a gradient and an error through MindTorch's module for Lua.
local mindtorch = require "mindtorch"
local call = mindtorch.call

local function show(name, tensor)
  local words = {name}
  for _, number in ipairs(mindtorch.tensor_to_doubles(tensor)) do
    table.insert(words, string.format("%g", number))
  end
  print(table.concat(words, " "))
end

local x = mindtorch.tensor_from_doubles({1, 2, 3}, {3}, mindtorch.MT_FLOAT32)
local y = mindtorch.tensor_from_doubles({4, 5, 6}, {3}, mindtorch.MT_FLOAT32)
show("sum", mindtorch.call_named("add", "Tensor", {alpha = 1}, x, y))

mindtorch.tensor_set_requires_grad(x, 1)
mindtorch.backward(call("sum", "", call("mul", "Tensor", x, x)))
show("gradient", mindtorch.tensor_grad(x))

local ok, failure = pcall(call, "add", "Tensor", x, call("ones", "", {2}))
if not ok then
  print(failure.kind .. ": " .. failure.message)
end
