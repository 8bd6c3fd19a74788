-- What a Lua programmer expects of tensors. Values and texts are torch 2.13's where it has them.
local mindtorch = require "mindtorch"
local tensor = mindtorch.tensor
local has_failed = false

local function expect(what, found, wanted)
  if tostring(found) ~= tostring(wanted) then
    io.stderr:write(what, ": ", tostring(found), " instead of ", tostring(wanted), "\n")
    has_failed = true
  end
end

local function failing(run, ...)
  local is_fine, problem = pcall(run, ...)
  return is_fine and "nothing" or tostring(problem)
end

-- Operators, methods, functions, named arguments.
local x = tensor({1, 2, 3, 4}, {2, 2})
expect("arithmetic", 2 - x * 3 + x / 2, "tensor float32 [2, 2]: [[-0.5, -3], [-5.5, -8]]")
expect("numbers on the left", 8 / x, "tensor float32 [2, 2]: [[8, 4], [2.6667, 2]]")
expect("remainders", tostring(5 % tensor({3})) .. " " .. tostring(tensor({5}) % 3) .. " " .. tostring(tensor({5}) % tensor({3})),
  "tensor float32 [1]: [2] tensor float32 [1]: [2] tensor float32 [1]: [2]")
expect("results that are numbers", mindtorch.call("_local_scalar_dense", "", tensor({1.5})), 1.5)
expect("powers", -(2 ^ x), "tensor float32 [2, 2]: [[-2, -4], [-8, -16]]")
expect("methods", x:sum():item() .. " " .. tostring(x:sum(0)) .. " " .. tostring(x:gt(2):any()), "10.0 tensor float32 [2]: [4, 6] tensor bool []: true")
expect("keywords", x:sum({1}, {keepdim = true}), "tensor float32 [2, 1]: [[3], [7]]")
expect("several results", select("#", x:max(1)), 2)
expect("functions", mindtorch.cat({x, x}, 1):shape()[2], 4)
expect("length", #x, 2)
expect("unknown", x.nothing, nil)
expect("long text", mindtorch.arange(2000), "tensor int64 [2000]: [0, 1, 2, ..., 1997, 1998, 1999]")
expect("bytes", string.unpack("ff", mindtorch.tensor_from_bytes(string.pack("ff", 1.5, 2), {2}, mindtorch.MT_FLOAT32):to_bytes()), 1.5)
expect("errors", failing(function() return x + tensor({1, 2, 3}) end),
  "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1")

-- What is no handle, and must not be read as one.
for name, run in pairs({
  call = function() return mindtorch.call("add", "", x, io.stdout) end,
  sizes = function() return mindtorch.tensor_sizes(io.stdout) end,
  other = function() return mindtorch.tensor_sizes(io.tmpfile()) end,
}) do
  expect("a file as a tensor: " .. name, failing(run):match("TypeError: .* is not a handle of MindTorch") ~= nil, true)
end
local info = mindtorch.tensor_get_info(x)
expect("closing a file", failing(mindtorch.close_handle, io.stdout):match("not a handle of MindTorch"), "not a handle of MindTorch")
expect("closing information", failing(mindtorch.close_handle, info):match("not a handle of MindTorch"), "not a handle of MindTorch")
expect("what was not closed", info.numel, 4)

-- Lists of wrong elements: nothing is kept of the right lists before them.
local long = {}
for i = 1, 100000 do
  long[i] = 1.0
end
local function resident()
  local file <close> = io.open("/proc/self/status")
  return tonumber(file:read("a"):match("VmRSS:%s*(%d+)"))
end
local function refused()
  return failing(mindtorch.tensor_from_doubles, long, {"a"}, mindtorch.MT_FLOAT64)
end
expect("wrong sizes", refused():match("number expected"), "number expected")
local first = resident()
for _ = 1, 200 do
  refused()
end
expect("memory of refused lists", resident() - first < 50000, true)

-- Gradients.
local w = tensor({1, 2}):requires_grad_();
(w * w):sum():backward()
expect("gradient", w:grad(), "tensor float32 [2]: [2, 4]")
expect("no gradients", mindtorch.no_grad(function() return (w * w):grad() end), nil)

-- Scopes and closing.
local before = mindtorch.allocator_get_stats().allocated_bytes
local made, closed
do
  local large <close> = mindtorch.ones({1000000})
  closed = large
end
expect("<close>", closed:is_closed(), true)
local kept = mindtorch.scope(function()
  made = mindtorch.ones({1000000})
  local inner = mindtorch.scope(function() return made * 2 end)
  expect("what an inner scope keeps", inner:is_closed(), false)
  return {made + 1}
end)[1]
expect("scope", tostring(made:is_closed()) .. tostring(kept:is_closed()), "truefalse")
kept:close()
kept:close()
expect("memory of a scope", mindtorch.allocator_get_stats().allocated_bytes - before < 100000, true)
expect("closed", failing(function() return kept + 1 end), "ValueError: this Tensor is closed")
expect("closed in a list", failing(mindtorch.cat, {kept}), "ValueError: this Tensor is closed")
expect("closed text", kept, "tensor closed")
expect("a scope that fails", failing(mindtorch.scope, function()
  made = mindtorch.ones({2})
  error("out", 0)
end), "out")
expect("what it made", made:is_closed(), true)

mindtorch.manual_seed(0)
expect("random numbers are torch's for the seed", string.format("%.6f", mindtorch.rand({1}):item()), "0.496257")

-- Files.
local path = os.tmpname()
for _, format in ipairs {"safetensors", "torch"} do
  mindtorch.save(path, {weight = x, bias = tensor({1, 2})}, format)
  local loaded = mindtorch.load(path)
  expect(format, tostring(loaded.weight) .. " " .. tostring(loaded.bias), tostring(x) .. " tensor float32 [2]: [1, 2]")
end
os.remove(path)
expect("an absent file", failing(mindtorch.load, path):match("^RuntimeError: unable to open file") ~= nil, true)
local written = os.getenv("MINDTORCH_TORCH_CHECKPOINT") or "" -- by tests/languages/torch_checkpoint.py
if written ~= "" then
  local loaded = mindtorch.load(written)
  expect("a checkpoint of real torch", tostring(loaded["model.weight"]) .. " " .. tostring(loaded.half),
    "tensor float32 [2, 3]: [[0, 1, 2], [3, 4, 5]] tensor bfloat16 [2]: [1.5, -2]")
end

if has_failed then
  os.exit(1)
end
print("as expected")
