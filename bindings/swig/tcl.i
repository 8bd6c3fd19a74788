// Tcl: namespace mindtorch; lists are lists, an error has -errorcode {MINDTORCH kind}. mindtorch.tcl has the rest.
%{
#include <string>
#include <unordered_map>

static int set_error(Tcl_Interp* interp, const char* kind, const char* message) {
  Tcl_ResetResult(interp);
  Tcl_SetObjResult(interp, Tcl_NewStringObj(message, -1));
  Tcl_SetErrorCode(interp, "MINDTORCH", kind, nullptr);
  return TCL_ERROR;
}

// A tensor (storage, node, ...) in Tcl is a value such as mt_tensor#12, which holds one reference for as long as any copy of the
// value is alive. One that Tcl took for text finds its handle by that name, and holds it again.
struct Handle {
  std::string name;
  void* pointer;
  void (*release)(void*);
  int copies;
};
// Open handles by name. Each thread has its own map, because Tcl's values never leave their thread.
static std::unordered_map<std::string, Handle*>& handles() {
  thread_local auto* known = new std::unordered_map<std::string, Handle*>;
  return *known;
}
static Handle*& handle_of(Tcl_Obj* value) { return reinterpret_cast<Handle*&>(value->internalRep.twoPtrValue.ptr1); }
static void drop_handle(Tcl_Obj* value) {
  Handle* handle = handle_of(value);
  // If another reference to the value keeps its name, Tcl only changes its internal representation, so the handle stays.
  const bool named = value->refCount > 0 && value->bytes != nullptr && handle->name == value->bytes;
  if (--handle->copies > 0 || named) return;
  handles().erase(handle->name);
  handle->release(handle->pointer);
  delete handle;
}
static void copy_handle(Tcl_Obj* from, Tcl_Obj* to);
static const Tcl_ObjType handle_type = {"mindtorch handle", drop_handle, copy_handle, nullptr, nullptr};
static void hold(Tcl_Obj* value, Handle* handle) {
  handle_of(value) = handle;
  value->typePtr = &handle_type;
  ++handle->copies;
}
static void copy_handle(Tcl_Obj* from, Tcl_Obj* to) { hold(to, handle_of(from)); }

static Tcl_Obj* new_handle(void* pointer, const char* type, void (*release)(void*)) {
  static long count = 0;
  if (pointer == nullptr) return Tcl_NewStringObj("NULL", -1);
  auto* handle = new Handle{std::string(type) + "#" + std::to_string(++count), pointer, release, 0};
  Tcl_Obj* value = Tcl_NewStringObj(handle->name.data(), static_cast<int>(handle->name.size()));
  handles()[handle->name] = handle;
  hold(value, handle);
  return value;
}
static int get_handle(Tcl_Interp* interp, Tcl_Obj* value, const std::string& type, void** pointer) {
  const std::string name = Tcl_GetString(value);
  *pointer = nullptr;
  if (name.empty() || name == "NULL" || name == "none") return TCL_OK;
  const auto found = handles().find(name);
  if (found == handles().end() || name.compare(0, type.size() + 1, type + "#") != 0) {
    if (interp == nullptr) return TCL_ERROR;
    return set_error(interp, "TypeError", ("expected " + type + " but got \"" + name + "\"").c_str());
  }
  if (value->typePtr != &handle_type) {
    if (value->typePtr != nullptr && value->typePtr->freeIntRepProc != nullptr) value->typePtr->freeIntRepProc(value);
    hold(value, found->second);
  }
  *pointer = found->second->pointer;
  return TCL_OK;
}
%}
%define TCL_HANDLE(CTYPE)
%typemap(in) CTYPE*, const CTYPE* {
  void* pointer;
  if (get_handle(interp, $input, #CTYPE, &pointer) != TCL_OK) SWIG_fail;
  $1 = static_cast<CTYPE*>(pointer);
}
%typemap(out) CTYPE* {
  Tcl_SetObjResult(interp, new_handle($1, #CTYPE, [](void* handle) { CTYPE ## _release(static_cast<CTYPE*>(handle)); }));
}
// The destructor is not wrapped: the handle is released with the last copy of the Tcl value.
%ignore CTYPE::~CTYPE;
%enddef
TCL_HANDLE(mt_tensor)
TCL_HANDLE(mt_storage)
TCL_HANDLE(mt_generator)
TCL_HANDLE(mt_node)
TCL_HANDLE(mt_saved)

%exception {
  try { $action }
  catch (const mindtorch::Error& error) { set_error(interp, error.kind().c_str(), error.what()); SWIG_fail; }
  catch (const std::out_of_range& error) { set_error(interp, "IndexError", error.what()); SWIG_fail; }
  catch (const std::exception& error) { set_error(interp, "RuntimeError", error.what()); SWIG_fail; }
}
%typemap(out) mt_status* {
  if ($1 != nullptr) {
    set_error(interp, mt_status_kind($1), mt_status_message($1));
    mt_status_release($1);
    SWIG_fail;
  }
}

// ---- packed numbers ----

%typemap(in) (const char* data, size_t size) (int size) {
  $1 = reinterpret_cast<char*>(Tcl_GetByteArrayFromObj($input, &size));
  $2 = static_cast<size_t>(size);
}
%typemap(out) mindtorch_swig::Bytes {
  Tcl_SetObjResult(interp, Tcl_NewByteArrayObj(reinterpret_cast<const unsigned char*>($1.data), static_cast<int>($1.size)));
}

// ---- lists ----

%define LIST(TYPE, NUMBER, FROM, TO)
%typemap(in) const std::vector<TYPE>& (std::vector<TYPE> list) {
  Tcl_Obj** items;
  int count;
  if (Tcl_ListObjGetElements(interp, $input, &count, &items) != TCL_OK) SWIG_fail;
  for (int i = 0; i < count; ++i) {
    NUMBER number;
    if (FROM(interp, items[i], &number) != TCL_OK) SWIG_fail;
    list.push_back(number);
  }
  $1 = &list;
}
%typemap(out) std::vector<TYPE> {
  const std::vector<TYPE>& list = $1;
  Tcl_Obj* made = Tcl_NewListObj(0, nullptr);
  for (TYPE item : list) Tcl_ListObjAppendElement(interp, made, TO(item));
  Tcl_SetObjResult(interp, made);
}
%enddef
LIST(int64_t, Tcl_WideInt, Tcl_GetWideIntFromObj, Tcl_NewWideIntObj)
LIST(double, double, Tcl_GetDoubleFromObj, Tcl_NewDoubleObj)

// There are no directors in Tcl: hooks are command prefixes (tcl_calls.h).
%ignore mindtorch_swig::GradientHook;
%ignore mindtorch_swig::tensor_add_hook;

%{
#include "tcl_calls.h"
%}
%init %{
  add_commands(interp);
%}
