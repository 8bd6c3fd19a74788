// Lua: module mindtorch.capi, which mindtorch.lua takes in; lists are tables, errors are tables with kind and message.
%{
static void push_error(lua_State* L, const char* kind, const char* message) {
  lua_createtable(L, 0, 2);
  lua_pushstring(L, kind);
  lua_setfield(L, -2, "kind");
  lua_pushstring(L, message);
  lua_setfield(L, -2, "message");
  luaL_setmetatable(L, "mindtorch.Error");
}
static int describe_error(lua_State* L) {
  lua_getfield(L, 1, "kind");
  lua_pushstring(L, ": ");
  lua_getfield(L, 1, "message");
  lua_concat(L, 3);
  return 1;
}
%}
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { push_error(L, error.kind().c_str(), error.what()); SWIG_fail; }
  catch (const std::out_of_range& error) { push_error(L, "IndexError", error.what()); SWIG_fail; }
  catch (const std::exception& error) { push_error(L, "RuntimeError", error.what()); SWIG_fail; }
}
%typemap(out) mt_status* {
  if ($1 != nullptr) {
    push_error(L, mt_status_kind($1), mt_status_message($1));
    mt_status_release($1);
    SWIG_fail;
  }
}

// ---- handles: Lua's collector works as if Lua had allocated the bytes of tensors; close releases them at once ----

%{
static const char scope_key = 0, handle_key = 0;

// Pushes a handle, and adds it to the table of the innermost scope, which closes it at its end (mindtorch.lua).
static void own_handle(lua_State* L, void* pointer, swig_type_info* type, int is_owner) {
  SWIG_NewPointerObj(L, pointer, type, is_owner);
  if (pointer != nullptr && lua_rawgetp(L, LUA_REGISTRYINDEX, &scope_key) == LUA_TTABLE) {
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, static_cast<lua_Integer>(lua_rawlen(L, -2)) + 1);
  }
  if (pointer != nullptr) lua_pop(L, 1);
  const int64_t grown = mindtorch_swig::memory_change() >> 10;
  if (grown > 0) lua_gc(L, LUA_GCSTEP, static_cast<int>(std::min<int64_t>(grown, 1 << 30)));
}

// Only handles have a metatable with this key: another userdata (a file) is no object of SWIG's, and it must not be read as one.
static void mark_handles(lua_State* L) {
  swig_type_info* const types[] = {SWIGTYPE_p_mt_tensor, SWIGTYPE_p_mt_storage, SWIGTYPE_p_mt_generator, SWIGTYPE_p_mt_node,
                                   SWIGTYPE_p_mt_saved};
  for (swig_type_info* type : types) {
    SWIG_Lua_get_class_metatable(L, static_cast<swig_lua_class*>(type->clientdata)->fqname);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, -2, &handle_key);
    lua_pop(L, 1);
  }
}
// Returns the handle at this index of Lua's stack, or nullptr for another value.
static swig_lua_userdata* find_handle(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return nullptr;
  const bool is_handle = lua_rawgetp(L, -1, &handle_key) == LUA_TBOOLEAN;
  lua_pop(L, 2);
  return is_handle ? static_cast<swig_lua_userdata*>(lua_touserdata(L, index)) : nullptr;
}
static swig_lua_userdata* check_handle(lua_State* L, int index) {
  swig_lua_userdata* handle = find_handle(L, index);
  if (handle == nullptr) luaL_argerror(L, index, "not a handle of MindTorch");
  return handle;
}

// Whether the argument at `index` is nil or an open handle; otherwise pushes an error message. A closed handle must not be accepted as nil.
static bool is_open(lua_State* L, int index, const char* function) {
  if (lua_isnil(L, index)) return true;
  const swig_lua_userdata* handle = find_handle(L, index);
  if (handle == nullptr) {
    const std::string text = std::string(function) + ": argument " + std::to_string(index) + " is not a handle of MindTorch";
    push_error(L, "TypeError", text.c_str());
  } else if (handle->ptr == nullptr) {
    const std::string name = static_cast<swig_lua_class*>(handle->type->clientdata)->name;
    push_error(L, "ValueError", ("this " + name + " is closed").c_str());
  } else {
    return true;
  }
  return false;
}
// The name of a handle's class, "Tensor"; nil for other values.
static int handle_class(lua_State* L) {
  const swig_lua_userdata* handle = find_handle(L, 1);
  lua_pushstring(L, handle == nullptr ? nullptr : static_cast<swig_lua_class*>(handle->type->clientdata)->name);
  return 1;
}
// Releases a handle at once, as the garbage collector's __gc would; __gc then does nothing.
static int close_handle(lua_State* L) {
  swig_lua_userdata* handle = check_handle(L, 1);
  auto* type = static_cast<swig_lua_class*>(handle->type->clientdata);
  if (handle->ptr != nullptr && handle->own && type != nullptr && type->destructor != nullptr) type->destructor(handle->ptr);
  handle->own = 0;
  handle->ptr = nullptr;
  return 0;
}
static int handle_is_closed(lua_State* L) {
  lua_pushboolean(L, check_handle(L, 1)->ptr == nullptr);
  return 1;
}
// Sets the table to which new handles are added, or nil for none; returns the former table.
static int set_scope(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scope_key);
  lua_pushvalue(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &scope_key);
  return 1;
}
%}
%typemap(out) mt_tensor*, mt_storage*, mt_generator*, mt_node*, mt_saved* {
  own_handle(L, $1, $1_descriptor, $owner);
  SWIG_arg++;
}
%typemap(in, checkfn="SWIG_isptrtype") mt_tensor*, const mt_tensor*, mt_storage*, const mt_storage*, mt_generator*, const mt_generator*,
    mt_node*, const mt_node*, mt_saved*, const mt_saved* {
  if (!is_open(L, $input, "$symname")) SWIG_fail;
  if (!SWIG_IsOK(SWIG_ConvertPtr(L, $input, (void**)&$1, $descriptor, $disown))) SWIG_fail_ptr("$symname", $argnum, $descriptor);
}
%typemap(out) mindtorch_swig::Bytes {
  lua_pushlstring(L, $1.data, $1.size);
  SWIG_arg++;
}

%typemap(in, checkfn="lua_isstring") (const char* data, size_t size) "$1 = ($1_ltype)lua_tolstring(L, $input, &$2);"

%native(close_handle) int close_handle(lua_State*);
%native(handle_class) int handle_class(lua_State*);
%native(handle_is_closed) int handle_is_closed(lua_State*);
%native(set_scope) int set_scope(lua_State*);

// ---- numbers: since 5.3 Lua tells integers from floats, 64 bits of both ----

%typemap(in, checkfn="lua_isinteger") int, long, unsigned int, unsigned long "$1 = static_cast<$1_ltype>(lua_tointeger(L, $input));"
%typemap(out) int, long, unsigned int, unsigned long %{ lua_pushinteger(L, static_cast<lua_Integer>($1)); SWIG_arg++; %}

// ---- lists ----

%define LIST(TYPE, CHECK, FROM, PUSH)
// Lua raises with longjmp, so all arguments are converted, which may raise, before the `check` typemap makes the first C++ list.
%typemap(in, checkfn="lua_istable") const std::vector<TYPE>& (int given) {
  given = $input;
  const lua_Integer count = static_cast<lua_Integer>(lua_rawlen(L, given));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, given, i);
    CHECK(L, -1);
    lua_pop(L, 1);
  }
}
%typemap(check) const std::vector<TYPE>& {
  const lua_Integer count = static_cast<lua_Integer>(lua_rawlen(L, given$argnum));
  $1 = new std::vector<TYPE>();
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, given$argnum, i);
    $1->push_back(FROM(L, -1));
    lua_pop(L, 1);
  }
}
%typemap(freearg) const std::vector<TYPE>& "delete $1;"
%typemap(out) std::vector<TYPE> {
  const std::vector<TYPE>& list = $1;
  lua_createtable(L, static_cast<int>(list.size()), 0);
  for (size_t i = 0; i < list.size(); ++i) {
    PUSH(L, list[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  SWIG_arg++;
}
%enddef
LIST(int64_t, luaL_checkinteger, lua_tointeger, lua_pushinteger)
LIST(double, luaL_checknumber, lua_tonumber, lua_pushnumber)

// There are no directors in Lua: gradients come through a GradientQueue.
%ignore mindtorch_swig::GradientHook;
%ignore mindtorch_swig::tensor_add_hook;

%init %{
  luaL_newmetatable(L, "mindtorch.Error");
  lua_pushcfunction(L, describe_error);
  lua_setfield(L, -2, "__tostring");
  lua_pop(L, 1);
  mark_handles(L);
%}
