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

-- Tables in and out. The kinds of errors are torch's for nested lists.
expect("nested tables", tensor({{1, 2}, {3, 4}}), "tensor float32 [2, 2]: [[1, 2], [3, 4]]")
expect("a number", tostring(tensor(5)) .. " " .. tostring(tensor(true)), "tensor float32 []: 5 tensor bool []: true")
expect("booleans", tensor({true, false}), "tensor bool [2]: [true, false]")
expect("options", tensor({{1}, {2}}, {dtype = "int64"}), "tensor int64 [2, 1]: [[1], [2]]")
expect("a dtype alone", tensor({1, 2}, "int64"):dtype(), "int64")
expect("an option for gradients", tensor({1}, {requires_grad = true}):requires_grad(), true)
expect("no option", tensor({1}):requires_grad(), false)
expect("whole numbers are exact", tensor(9007199254740993, "int64"):item(), 9007199254740993)
expect("and in lists", table.concat(tensor({-1, 9007199254740993}, "int64"):to_list(), " "), "-1 9007199254740993")
expect("of many elements", table.concat(mindtorch.arange(250):to_list(), " ", 249), "248 249")
expect("of other dtypes", table.concat(tensor({1, 255}, "uint8"):to_list(), " "), "1 255")
expect("elements that are booleans", tostring(x:gt(2):to_list()[4]) .. tostring(x:eq(x):all():item()), "truetrue")
expect("nested elements", x:unsqueeze(0):to_table()[1][2][1], 3.0)
expect("of no dimensions", x:sum():to_table(), 10.0)
expect("of no rows", #mindtorch.zeros({0, 2}):to_table(), 0)
expect("properties", x:ndim() .. " " .. x:numel() .. " " .. x:dtype(), "2 4 float32")
expect("different sizes", failing(tensor, {{1, 2}, {3}}), "ValueError: the tables have different sizes")
expect("a table among numbers", failing(tensor, {{1, 2}, 3}), "ValueError: the tables have different sizes")
expect("words", failing(tensor, {"a"}), "TypeError: a tensor has numbers or booleans, not a string")
expect("a word among numbers", failing(tensor, {1, "a"}), "TypeError: a tensor has elements of one type, not also a string")
expect("nothing", failing(tensor, nil), "TypeError: a tensor has numbers or booleans, not a nil")
expect("an unknown dtype", failing(tensor, {1}, "double"):match("^TypeError: there is no dtype double"), "TypeError: there is no dtype double")
expect("a keyword by place", failing(mindtorch.zeros, 2, 3):match("^[^.]*"), "TypeError: zeros() takes 1 positional argument(s) but 2 was/were given")

-- Indices.
local z = mindtorch.arange(12):reshape({3, 4})
expect("a row", z:get(-1), "tensor int64 [4]: [8, 9, 10, 11]")
expect("an element", z:get(1, 2):item(), 6)
expect("ranges", z:get({1}, {nil, nil, 2}), "tensor int64 [2, 2]: [[4, 6], [8, 10]]")
expect("all of a dimension", z:get({}, 0), "tensor int64 [3]: [0, 4, 8]")
expect("a new dimension", table.concat(z:get(mindtorch.none, {0, 2}):shape(), " "), "1 2 4")
expect("positions", z:get({}, tensor({0, 3}, "int64")), "tensor int64 [3, 2]: [[0, 3], [4, 7], [8, 11]]")
expect("a mask", z:get(z:gt(9)), "tensor int64 [2]: [10, 11]")
z:set({0, {0, 2}}, 9):set({z:gt(10)}, 7)
expect("assignment", z, "tensor int64 [3, 4]: [[9, 9, 2, 3], [4, 5, 6, 7], [8, 9, 10, 7]]")
z:set({{}, 0}, tensor({1, 2, 3}))
expect("assignment of a tensor", z:get({}, 0), "tensor int64 [3]: [1, 2, 3]")
expect("no such index", failing(z.get, z, "a"), "TypeError: an index is an integer, {start, stop, step}, none or a tensor, not a string")
expect("brackets", failing(function() return z[1] end), "TypeError: a tensor has no [1]; x:get(0) is its first row")
expect("floors", tostring(tensor({5, -5}) // 2) .. " " .. tostring(7 // tensor({2})), "tensor float32 [2]: [2, -3] tensor float32 [1]: [3]")
expect("bits", tostring(~z:gt(9) & z:gt(8)), tostring(z:eq(9)))

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
expect("an unknown format", failing(mindtorch.save, path, {x = x}, "text"), "ValueError: a format is safetensors or torch, not text")
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
