-- What expected.txt lists, in Lua.
local m = require "mindtorch"
local call, call_named = m.call, m.call_named

local function text(tensor)
  local numbers = m.tensor_to_doubles(tensor)
  for i, number in ipairs(numbers) do
    numbers[i] = string.format("%g", number)
  end
  return table.concat(numbers, " ")
end
local function texts(tensors, between)
  local list = {}
  for i, tensor in ipairs(tensors) do
    list[i] = text(tensor)
  end
  return table.concat(list, between)
end
local function bytes()
  return m.allocator_get_stats().allocated_bytes
end
local function failing(...)
  local ok, failure = pcall(...)
  return ok and "nothing" or failure.kind .. ": " .. failure.message
end
local function show(label, ...)
  print(label .. " " .. table.concat({...}, " "))
end

local x = m.tensor_from_doubles({1, 2, 3, 4.5}, {4}, m.MT_FLOAT32)
show("cat", text(call("cat", "", {x, x}, 0)))
show("max", texts({call("max", "dim", x, 0)}, " "))
show("split", texts(call("split", "Tensor", x, 2), " | "))
show("floor", text(call_named("div", "Tensor_mode", {rounding_mode = "floor"}, x, call("full", "", {4}, 2.0))))
show("clamp", text(call("clamp", "", x, nil, 3)))
local ends = m.tensor_from_doubles({0, 3}, {2}, m.MT_INT64)
show("index", text(call("index", "Tensor", call("stack", "", {x, x}, 1), {ends, call("zeros_like", "", ends)})))
show("dtypes", m.tensor_get_info(call_named("zeros", "", {dtype = "float64"}, {2})).dtype,
  call("result_type", "Tensor", x, call_named("zeros", "", {dtype = m.MT_FLOAT64}, {2})))
show("equal", call("equal", "", x, x) and 1 or 0, call("equal", "", x, call("neg", "", x)) and 1 or 0)
show("empty", text(call("sum", "dim_IntList", x, {}, false)))
local device = m.device_parse("npu:3")
show("device", device.type, device.index)
local values = m.Values()
values:add_int(9007199254740993)
show("whole", values:get_int(0))
local packed = m.tensor_from_bytes(string.pack("dd", 1.5, 2.5), {2}, m.MT_FLOAT64)
local first, second = string.unpack("dd", m.tensor_to_bytes(packed))
show("bytes", first, second)

m.tensor_set_requires_grad(x, 1)
local queue = m.GradientQueue()
queue:watch(x)
m.backward(call("sum", "", call("mul", "Tensor", x, x)))
show("gradient", text(m.tensor_grad(x)))
show("seen", text(queue:poll()))
show("none", queue:poll() == nil and m.tensor_grad(call("neg", "", x)) == nil and 1 or 0)

show("error", failing(call, "add", "Tensor", x, call("ones", "", {2})))
show("status", failing(m.mt_tensor_set_requires_grad, ends, 1))
show("index", failing(call, "unsqueeze", "", x, 7))
show("keyword", failing(call_named, "zeros", "", {dtyp = 6}, {2}))
show("null", failing(m.tensor_sizes, nil))
local before = bytes()
for _ = 1, 100 do
  call("zeros", "", {100000})
end
collectgarbage()
show("released", bytes() - before < 10000000 and 1 or 0)
