-- Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
local mindtorch = require "mindtorch"

local ARMS, POINTS, HIDDEN, STEPS = 3, 100, 64, 400

local function make_spirals()
  local xy, labels = {}, {}
  for arm = 0, ARMS - 1 do
    for i = 0, POINTS - 1 do
      local radius = (i + 1) / POINTS
      local angle = arm * 2 * math.pi / ARMS + 4 * radius + 0.1 * math.sin(37.0 * i)
      table.insert(xy, {radius * math.cos(angle), radius * math.sin(angle)})
      table.insert(labels, arm)
    end
  end
  return mindtorch.tensor(xy), mindtorch.tensor(labels, {dtype = "int64"})
end

local function forward(x, net)
  return x:linear(net["0.weight"], net["0.bias"]):tanh():linear(net["2.weight"], net["2.bias"])
end

-- One step of gradient descent.
local function descend(net, rate)
  mindtorch.no_grad(function()
    for _, weight in pairs(net) do
      weight:add_(weight:grad(), {alpha = -rate})
      weight:set_grad(nil)
    end
  end)
end

print(string.format("mindtorch %s, ABI %d, %d threads", mindtorch.version(), mindtorch.abi_version(), mindtorch.threads_get()))
local x, labels = make_spirals()
mindtorch.manual_seed(7)
local net = {
  ["0.weight"] = mindtorch.randn({HIDDEN, 2}):requires_grad_(),
  ["0.bias"] = mindtorch.zeros({HIDDEN}):requires_grad_(),
}
net["2.weight"] = (mindtorch.randn({ARMS, HIDDEN}) * 0.125):requires_grad_()
net["2.bias"] = mindtorch.zeros({ARMS}):requires_grad_()
for step = 1, STEPS do
  local logits = forward(x, net)
  local loss = logits:cross_entropy_loss(labels)
  loss:backward()
  descend(net, 1.0)
  if step == 1 or step % 100 == 0 then
    local hits = logits:argmax(1):eq(labels):sum():item()
    print(string.format("step %d: loss %.6f, accuracy %.4f", step, loss:item(), hits / #labels))
  end
end

local path = os.tmpname()
mindtorch.save(path, net)
local loaded = mindtorch.load(path)
os.remove(path)
print("loaded logits equal: " .. tostring(forward(x, loaded):equal(forward(x, net))))

local ok, failure = pcall(x.add, x, labels)
if not ok then
  print(failure.kind .. ": " .. failure.message)
end
