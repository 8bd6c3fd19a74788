-- An operator, a gradient and an error through MindTorch's module for Lua.
local mindtorch = require "mindtorch"

local function show(name, tensor)
  local words = {name}
  for _, number in ipairs(tensor:to_list()) do
    table.insert(words, string.format("%g", number))
  end
  print(table.concat(words, " "))
end

local x = mindtorch.tensor({1, 2, 3}, {requires_grad = true})
local y = mindtorch.tensor({4, 5, 6})
show("sum", x + y)

local loss = (x * x):sum()
loss:backward()
show("gradient", x:grad())

local ok, failure = pcall(function() return x + mindtorch.ones({2}) end)
if not ok then
  print(failure.kind .. ": " .. failure.message)
end
