-- The C ABI of MindTorch as SWIG wraps it, and `call`, which takes plain Lua values.
local capi = require "mindtorch.capi"
local mindtorch = setmetatable({}, {__index = capi})

-- An absent element of a list (of optional tensors), where nil would end the table.
mindtorch.none = {}

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
    values:add_int(argument)
  elseif kind == "float" then
    values:add_double(argument)
  elseif kind == "boolean" then
    values:add_bool(argument)
  elseif kind == "string" then
    values:add_string(argument)
  elseif kind == "table" then
    box_list(values, argument)
  elseif swig_type(argument) == "mt_generator *" then
    values:add_generator(argument)
  else
    values:add_tensor(argument)
  end
end

local function unbox(results, index)
  local tag = results:tag(index)
  if tag == capi.MT_TAG_TENSOR then
    return results:get_tensor(index)
  elseif tag == capi.MT_TAG_BOOL then
    return results:get_bool(index)
  elseif tag ~= capi.MT_TAG_TENSORS then
    return results:get_int(index)
  end
  local tensors, list = results:get_tensors(index), {}
  for i = 0, tensors:size() - 1 do
    list[i + 1] = tensors:get(i)
  end
  return list
end

local function dispatch(name, overload, values)
  local results, found = capi.dispatch(name, overload, values), {}
  local count = results:size()
  for i = 0, count - 1 do
    found[i + 1] = unbox(results, i)
  end
  return table.unpack(found, 1, count)
end

-- Calls an operator; tables are lists, nil is none.
function mindtorch.call(name, overload, ...)
  local values = capi.Values()
  for i = 1, select("#", ...) do
    box(values, (select(i, ...)))
  end
  return dispatch(name, overload, values)
end

-- As call, with a table of arguments by name before the others: call_named("zeros", "", {dtype = "float64"}, {2, 3}).
function mindtorch.call_named(name, overload, named, ...)
  local values = capi.Values()
  for i = 1, select("#", ...) do
    box(values, (select(i, ...)))
  end
  for key, argument in pairs(named) do
    box(values, argument)
    values:name(key)
  end
  return dispatch(name, overload, values)
end

return mindtorch
