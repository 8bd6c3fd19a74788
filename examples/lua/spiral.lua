-- Trains a network of two layers on three spirals through MindTorch's module for Lua, SWIG's wrapper of the C ABI.
local mindtorch = require "mindtorch"
local call, call_named = mindtorch.call, mindtorch.call_named

local ARMS, POINTS, HIDDEN, STEPS = 3, 100, 64, 400

local function make_spirals()
  local xy, labels = {}, {}
  for arm = 0, ARMS - 1 do
    for i = 0, POINTS - 1 do
      local radius = (i + 1) / POINTS
      local angle = arm * 2 * math.pi / ARMS + 4 * radius + 0.1 * math.sin(37.0 * i)
      table.insert(xy, radius * math.cos(angle))
      table.insert(xy, radius * math.sin(angle))
      table.insert(labels, arm)
    end
  end
  local count = ARMS * POINTS
  return mindtorch.tensor_from_doubles(xy, {count, 2}, mindtorch.MT_FLOAT32),
    mindtorch.tensor_from_doubles(labels, {count}, mindtorch.MT_INT64)
end

local function make_parameter(factory, sizes, scale)
  local tensor = call("mul", "Scalar", call(factory, "", sizes), scale or 1.0)
  mindtorch.tensor_set_requires_grad(tensor, 1)
  return tensor
end

local function forward(x, weight1, bias1, weight2, bias2)
  local hidden = call("tanh", "", call("linear", "", x, weight1, bias1))
  return call("linear", "", hidden, weight2, bias2)
end

local function descend(parameters, rate)
  mindtorch.mode_set(mindtorch.MT_MODE_GRAD, 0)
  for _, parameter in ipairs(parameters) do
    call_named("add_", "Tensor", {alpha = -rate}, parameter, mindtorch.tensor_grad(parameter))
    mindtorch.tensor_set_grad(parameter, nil)
  end
  mindtorch.mode_set(mindtorch.MT_MODE_GRAD, 1)
end

local function accuracy(logits, labels)
  local hits = call("eq", "Tensor", call("argmax", "", logits, 1), labels)
  return mindtorch.tensor_item(call("sum", "", hits)) / (ARMS * POINTS)
end

print(string.format("mindtorch %s, ABI %d, %d threads", mindtorch.version(), mindtorch.abi_version(), mindtorch.threads_get()))
local x, labels = make_spirals()
mindtorch.generator_seed(mindtorch.generator_default(), 7)
local parameters = {
  make_parameter("randn", {HIDDEN, 2}),
  make_parameter("zeros", {HIDDEN}),
  make_parameter("randn", {ARMS, HIDDEN}, 0.125),
  make_parameter("zeros", {ARMS}),
}
for step = 1, STEPS do
  local logits = forward(x, table.unpack(parameters))
  local loss = call("cross_entropy_loss", "", logits, labels)
  mindtorch.backward(loss)
  descend(parameters, 1.0)
  if step == 1 or step % 100 == 0 then
    print(string.format("step %d: loss %.6f, accuracy %.4f", step, mindtorch.tensor_item(loss), accuracy(logits, labels)))
  end
end

local ok, failure = pcall(call, "add", "Tensor", x, labels)
if not ok then
  print(failure.kind .. ": " .. failure.message)
end
