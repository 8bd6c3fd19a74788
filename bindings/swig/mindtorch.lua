-- The C ABI of MindTorch as SWIG wraps it, and `call`, which takes plain Lua values.
local capi = require "mindtorch.capi"
local mindtorch = setmetatable({}, {__index = capi})

-- SWIG searches a method in several tables; those of every call are found once.
local any_values = capi.Values()
local add_tensor, add_int, add_double = any_values.add_tensor, any_values.add_int, any_values.add_double
local tag_of, get_tensor, size_of, clear = any_values.tag, any_values.get_tensor, any_values.size, any_values.clear
local MT_TAG_TENSOR <const> = capi.MT_TAG_TENSOR

-- An absent element of a list (of optional tensors), where nil would end the table.
mindtorch.none = {}

-- Errors of this file are those of the library: tables with kind and message.
local error_meta = getmetatable(select(2, pcall(capi.tensor_sizes, nil)))

local function fail(kind, message)
  error(setmetatable({kind = kind, message = message}, error_meta), 0)
end

local function box_list(values, list)
  local kind = "integer"
  for _, item in ipairs(list) do
    local this = math.type(item) or "tensor"
    if this ~= "integer" and kind ~= "tensor" then kind = this end
  end
  if kind == "integer" then
    values:add_ints(list)
  elseif kind == "float" then
    values:add_doubles(list)
  else
    local tensors = capi.Tensors()
    for _, item in ipairs(list) do
      if item == mindtorch.none then tensors:add(nil) else tensors:add(item) end
    end
    values:add_tensors(tensors)
  end
end

local function box(values, argument)
  local kind = math.type(argument) or type(argument)
  if kind == "nil" or argument == mindtorch.none then
    values:add_none()
  elseif kind == "integer" then
    add_int(values, argument)
  elseif kind == "float" then
    add_double(values, argument)
  elseif kind == "boolean" then
    values:add_bool(argument)
  elseif kind == "string" then
    values:add_string(argument)
  elseif kind == "table" then
    box_list(values, argument)
  elseif capi.handle_class(argument) == "Generator" then
    values:add_generator(argument)
  else
    add_tensor(values, argument)
  end
end

local function unbox(results, index)
  local tag = tag_of(results, index)
  if tag == MT_TAG_TENSOR then
    return get_tensor(results, index)
  elseif tag == capi.MT_TAG_BOOL then
    return results:get_bool(index)
  elseif tag == capi.MT_TAG_DOUBLE then
    return results:get_double(index)
  elseif tag == capi.MT_TAG_NONE then
    return nil
  elseif tag ~= capi.MT_TAG_TENSORS then
    return results:get_int(index)
  end
  local tensors, list = results:get_tensors(index), {}
  for i = 0, tensors:size() - 1 do
    list[i + 1] = tensors:get(i)
  end
  return list
end

local capi_dispatch = capi.dispatch

local function dispatch(name, overload, values)
  local results = capi_dispatch(name, overload, values)
  clear(values)  -- so that closing a tensor frees its memory
  local count = size_of(results)
  if count == 1 then
    local found = unbox(results, 0)
    clear(results)
    return found
  end
  local found = {}
  for i = 0, count - 1 do
    found[i + 1] = unbox(results, i)
  end
  clear(results)
  return table.unpack(found, 1, count)
end

local function is_named(argument)
  return type(argument) == "table" and argument ~= mindtorch.none and type(next(argument)) == "string"
end

-- Calls an operator; tables are lists, nil is none, a table at the end has arguments by name: call("sum", "", x, {keepdim = true}).
-- With the overload "", the arguments select it.
function mindtorch.call(name, overload, ...)
  local values, count = capi.Values(), select("#", ...)
  local last = select(count, ...)
  local named = count > 0 and is_named(last) and last or {}
  for i = 1, count - (named == last and 1 or 0) do
    box(values, (select(i, ...)))
  end
  for key, argument in pairs(named) do
    box(values, argument)
    values:name(key)
  end
  return dispatch(name, overload, values)
end

-- As call, with the table of arguments by name before the others: call_named("zeros", "", {dtype = "float64"}, {2, 3}).
function mindtorch.call_named(name, overload, named, ...)
  local arguments = table.pack(...)
  arguments[arguments.n + 1] = named
  return mindtorch.call(name, overload, table.unpack(arguments, 1, arguments.n + (next(named) and 1 or 0)))
end

-- ---- tensors: operators, methods, text ----

local function shape_text(tensor)
  return "[" .. table.concat(capi.tensor_sizes(tensor), ", ") .. "]"
end

-- Of long dimensions, if shortened, the ends only.
local function text(tensor, is_shortened)
  local size = capi.tensor_sizes(tensor)[1]
  if not size then
    local number = capi.tensor_item(tensor)
    local is_bool = capi.tensor_get_info(tensor).dtype == capi.MT_BOOL
    return is_bool and tostring(number ~= 0) or string.format("%.5g", number)
  end
  local parts, i = {}, 0
  while i < size do
    if is_shortened and size > 6 and i == 3 then
      parts[#parts + 1] = "..."
      i = size - 3
    end
    local part <close> = mindtorch.call("select", "int", tensor, 0, i)
    parts[#parts + 1] = text(part, is_shortened)
    i = i + 1
  end
  return "[" .. table.concat(parts, ", ") .. "]"
end

local methods = {
  close = capi.close_handle,
  is_closed = capi.handle_is_closed,
  shape = capi.tensor_sizes,
  to_bytes = capi.tensor_to_bytes,
  grad = capi.tensor_grad,
  set_grad = capi.tensor_set_grad,
  backward = capi.backward,
}

function methods.requires_grad_(tensor, wanted)
  capi.tensor_set_requires_grad(tensor, wanted == false and 0 or 1)
  return tensor
end

function methods.requires_grad(tensor)
  return capi.tensor_get_info(tensor).flags & capi.MT_TENSOR_REQUIRES_GRAD ~= 0
end

function methods.dtype(tensor)
  return capi.mt_dtype_name(capi.tensor_get_info(tensor).dtype)
end

function methods.ndim(tensor)
  return #capi.tensor_sizes(tensor)
end

function methods.numel(tensor)
  return capi.tensor_get_info(tensor).numel
end

local packed_at_once <const> = 100

-- Lua's integers, of which doubles do not have all.
local function unpack_integers(bytes)
  local list, place = {}, 1
  while place <= #bytes do
    local count = math.min(packed_at_once, (#bytes - place + 1) // 8)
    table.move({string.unpack(("i8"):rep(count), bytes, place)}, 1, count, #list + 1, list)
    place = place + 8 * count
  end
  return list
end

local function pack_integers(list)
  local parts = {}
  for first = 1, #list, packed_at_once do
    local last = math.min(first + packed_at_once - 1, #list)
    parts[#parts + 1] = string.pack(("i8"):rep(last - first + 1), table.unpack(list, first, last))
  end
  return table.concat(parts)
end

-- The elements in row-major order: floats, integers or booleans.
function methods.to_list(tensor)
  local dtype = methods.dtype(tensor)
  if dtype:match("^u?int%d+$") then
    local whole <close> = mindtorch.call("to", "dtype", tensor, "int64")
    return unpack_integers(capi.tensor_to_bytes(whole))
  end
  local list = capi.tensor_to_doubles(tensor)
  if dtype == "bool" then
    for i, number in ipairs(list) do
      list[i] = number ~= 0
    end
  end
  return list
end

-- The elements as nested tables; of a tensor without dimensions, its element.
function methods.to_table(tensor)
  local sizes, list = capi.tensor_sizes(tensor), methods.to_list(tensor)
  for dim = #sizes, 2, -1 do
    local rows = 1
    for before = 1, dim - 1 do
      rows = rows * sizes[before]
    end
    local nested = {}
    for row = 1, rows do
      nested[row] = table.move(list, (row - 1) * sizes[dim] + 1, row * sizes[dim], 1, {})
    end
    list = nested
  end
  if #sizes == 0 then
    return list[1]
  end
  return list
end

-- The element of a tensor that has one.
function methods.item(tensor)
  local number = capi.tensor_item(tensor)
  local dtype = methods.dtype(tensor)
  return (dtype == "bool" or dtype:match("int")) and methods.to_list(tensor)[1] or number
end

-- The view that numbers, ranges and mindtorch.none select, and the tensors that then index it.
local function view_of(tensor, ...)
  local view, dim, positions = tensor, 0, {}
  for i = 1, select("#", ...) do
    local index = select(i, ...)
    if math.type(index) == "integer" then
      view = mindtorch.call("select", "int", view, dim, index)
    elseif index == mindtorch.none then
      view = mindtorch.call("unsqueeze", "", view, dim)
      dim = dim + 1
    elseif type(index) == "table" then
      view = mindtorch.call("slice", "", view, dim, index[1], index[2], index[3] or 1)
      dim = dim + 1
    elseif capi.handle_class(index) == "Tensor" then
      dim = dim + 1
      positions[dim] = index
    else
      fail("TypeError", "an index is an integer, {start, stop, step}, none or a tensor, not a " .. type(index))
    end
  end
  if next(positions) then
    for i = 1, dim do
      positions[i] = positions[i] or mindtorch.none
    end
  end
  return view, positions
end

-- The part at these indices, which count from 0: x:get({0, 2}, -1).
function methods.get(tensor, ...)
  local view, positions = view_of(tensor, ...)
  return next(positions) and mindtorch.call("index", "", view, positions) or view
end

-- Assigns to the part at the indices: x:set({0, {0, 2}}, 9).
function methods.set(tensor, indices, value)
  local view, positions = view_of(tensor, table.unpack(indices))
  if type(value) == "number" or type(value) == "boolean" then
    value = mindtorch.call("full", "", {}, value, {dtype = methods.dtype(tensor)})
  end
  if next(positions) then
    mindtorch.call("index_put_", "", view, positions, value)
  else
    mindtorch.call("copy_", "", view, value)
  end
  return tensor
end

-- Every operator is a method: x:sum({0}, {keepdim = true}).
local operators = setmetatable({}, {
  __index = function(known, name)
    if type(name) ~= "string" or not capi.operator_exists(name) then
      return nil
    end
    known[name] = function(...)
      return mindtorch.call(name, "", ...)
    end
    return known[name]
  end,
})

local function operator(name, reversed)
  return function(left, right)
    if type(left) == "number" then
      return mindtorch.call(reversed or name, "", right, left)
    end
    return mindtorch.call(name, "", left, right)
  end
end

local function set_up(meta)
  meta.__index = function(_, name)
    if type(name) == "number" then
      fail("TypeError", "a tensor has no [" .. name .. "]; x:get(0) is its first row")
    end
    return methods[name] or operators[name]
  end
  meta.__close = capi.close_handle
  meta.__add = operator("add")
  meta.__sub = operator("sub", "rsub")
  meta.__mul = operator("mul")
  meta.__div = function(left, right)
    if type(left) == "number" then
      return mindtorch.call("mul", "", mindtorch.call("reciprocal", "", right), left)
    end
    return mindtorch.call("div", "", left, right)
  end
  meta.__mod = function(left, right)
    return mindtorch.call("remainder", type(left) == "number" and "Scalar_Tensor" or "", left, right)
  end
  meta.__pow = function(left, right)
    return mindtorch.call("pow", "", left, right)
  end
  meta.__idiv = function(left, right)
    return mindtorch.call("floor_divide", "", type(left) == "number" and mindtorch.call("full_like", "", right, left) or left, right)
  end
  meta.__band = operator("bitwise_and")
  meta.__bor = operator("bitwise_or")
  meta.__bxor = operator("bitwise_xor")
  meta.__bnot = function(tensor)  -- Lua passes it twice
    return mindtorch.call("bitwise_not", "", tensor)
  end
  meta.__unm = function(tensor)  -- Lua passes it twice
    return mindtorch.call("neg", "", tensor)
  end
  meta.__len = function(tensor)
    return capi.tensor_sizes(tensor)[1]
  end
  meta.__tostring = function(tensor)
    if tensor:is_closed() then
      return "tensor closed"
    end
    local info = capi.tensor_get_info(tensor)
    local kind = "tensor " .. capi.mt_dtype_name(info.dtype) .. " " .. shape_text(tensor)
    if info.device.type ~= capi.MT_CPU or info.layout ~= capi.MT_STRIDED then
      return kind
    end
    return kind .. ": " .. text(tensor, info.numel > 1000)
  end
end
set_up(getmetatable(mindtorch.call("zeros", "", {0})))
getmetatable(capi.generator_default()).__close = capi.close_handle

-- Random numbers are torch's for the seed.
function mindtorch.manual_seed(seed)
  capi.generator_seed(capi.generator_default(), seed)
end

local function flatten(values, sizes, depth, list)
  if #values ~= sizes[depth] then
    fail("ValueError", "the tables have different sizes")
  end
  for i = 1, #values do
    local item = values[i]
    if (type(item) == "table") ~= (depth < #sizes) then
      fail("ValueError", "the tables have different sizes")
    elseif depth < #sizes then
      flatten(item, sizes, depth + 1, list)
    else
      list[#list + 1] = item
    end
  end
end

-- A flat table as a tensor: of booleans bool, of numbers float64, or int64 if they have to be exact.
local function pack(list, sizes, is_whole)
  local kind = type(list[1])
  if #list > 0 and kind ~= "number" and kind ~= "boolean" then
    fail("TypeError", "a tensor has numbers or booleans, not a " .. kind)
  end
  for i = 1, is_whole and #list or 0 do
    is_whole = is_whole and math.type(list[i]) == "integer"
  end
  if is_whole then
    return capi.tensor_from_bytes(pack_integers(list), sizes, capi.MT_INT64)
  end
  local numbers = list
  if kind == "boolean" then
    numbers = {}
    for i, item in ipairs(list) do
      numbers[i] = item == true and 1 or item == false and 0 or item
    end
  end
  local is_fine, made = pcall(capi.tensor_from_doubles, numbers, sizes, kind == "boolean" and capi.MT_BOOL or capi.MT_FLOAT64)
  if is_fine then
    return made
  end
  for _, item in ipairs(numbers) do
    if type(item) ~= "number" then
      fail("TypeError", "a tensor has elements of one type, not also a " .. type(item))
    end
  end
  error(made, 0)
end

-- A tensor of nested tables of numbers or booleans, or of one of them: tensor({{1, 2}, {3, 4}}, {dtype = "float64"}). A flat table may have
-- sizes: tensor({1, 2, 3, 4}, {2, 2}, "float64"). Numbers are float32 without a dtype.
function mindtorch.tensor(values, sizes, dtype)
  local options = {dtype = dtype}
  if type(sizes) == "string" then
    sizes, options = nil, {dtype = sizes}
  elseif is_named(sizes) then
    sizes, options = nil, sizes
  end
  local list = type(values) == "table" and values or {values}
  if values == nil then
    fail("TypeError", "a tensor has numbers or booleans, not a nil")
  elseif not sizes then
    sizes = {}
    local level = values
    while type(level) == "table" do
      sizes[#sizes + 1] = #level
      level = level[1]
    end
    if #sizes > 1 then
      list = {}
      flatten(values, sizes, 1, list)
    end
  end
  local exact = pack(list, sizes, options.dtype == "int64")
  local made = exact:to({dtype = options.dtype or (type(list[1]) == "boolean" and "bool" or "float32")})
  return options.requires_grad and made:requires_grad_() or made
end

local function keep_all(value, kept)
  if type(value) == "userdata" then
    kept[value] = true
  elseif type(value) == "table" then
    for _, item in pairs(value) do
      keep_all(item, kept)
    end
  end
end

-- Calls the function, and closes what was made in it, except what it returns, also in tables.
function mindtorch.scope(run, ...)
  local made = {}
  local outer = capi.set_scope(made)
  local results = table.pack(pcall(run, ...))
  capi.set_scope(outer)
  local kept = {}
  if results[1] then
    keep_all({table.unpack(results, 2, results.n)}, kept)
  end
  for _, handle in ipairs(made) do
    if not kept[handle] then
      capi.close_handle(handle)
    elseif outer then
      outer[#outer + 1] = handle
    end
  end
  if not results[1] then
    error(results[2], 0)
  end
  return table.unpack(results, 2, results.n)
end

-- The tensors of a file of torch, safetensors, NumPy or GGUF: a table by name.
function mindtorch.load(path)
  local found, tensors = capi.load_tensors(path), {}
  for i = 0, found:size() - 1 do
    tensors[found:name(i)] = found:get(i)
  end
  return tensors
end

-- Saves a table of tensors, in the format "safetensors" (the default) or "torch".
function mindtorch.save(path, tensors, format)
  if format ~= nil and format ~= "safetensors" and format ~= "torch" then
    fail("ValueError", "a format is safetensors or torch, not " .. tostring(format))
  end
  local named, names = capi.NamedTensors(), {}
  for name in pairs(tensors) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    named:add(name, tensors[name])
  end
  named:save(path, format == "torch")
end

-- Calls the function without recording gradients.
function mindtorch.no_grad(run, ...)
  local before = capi.mode_get(capi.MT_MODE_GRAD)
  capi.mode_set(capi.MT_MODE_GRAD, 0)
  local results = table.pack(pcall(run, ...))
  capi.mode_set(capi.MT_MODE_GRAD, before)
  if not results[1] then
    error(results[2], 0)
  end
  return table.unpack(results, 2, results.n)
end

-- Every operator is a function too: mindtorch.cat({a, b}, 1).
setmetatable(mindtorch, {
  __index = function(_, name)
    local found = capi[name]
    if found == nil then
      found = operators[name]
    end
    return found
  end,
})

return mindtorch
