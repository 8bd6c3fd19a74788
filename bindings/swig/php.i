// PHP: the functions are global, tensors are objects of class Tensor with PHP's operators; errors are MindTorch\Error with a kind. php/ has
// the rest.
%{
// An error that PHP throws after this call. Without the classes of php/mindtorch.php it is PHP's own exception, with the kind in its text.
static void set_error(const char* kind, const char* message) {
  if (EG(exception) != nullptr) return;  // exit() in a callable
  zend_string* name = zend_string_init("MindTorch\\Error", sizeof("MindTorch\\Error") - 1, 0);
  zend_class_entry* type = zend_lookup_class(name);
  zend_string_release(name);
  if (type == nullptr) {
    zend_throw_exception(nullptr, (std::string(kind) + ": " + message).c_str(), 0);
    return;
  }
  zval error;
  object_init_ex(&error, type);
  zend_update_property_string(type, Z_OBJ(error), "message", sizeof("message") - 1, message);
  zend_update_property_string(type, Z_OBJ(error), "kind", sizeof("kind") - 1, kind);
  zend_throw_exception_object(&error);
}
%}
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { set_error(error.kind().c_str(), error.what()); return; }
  catch (const std::out_of_range& error) { set_error("IndexError", error.what()); return; }
  catch (const std::exception& error) { set_error("RuntimeError", error.what()); return; }
}
%typemap(out) mt_status* {
  if ($1 != nullptr) {
    set_error(mt_status_kind($1), mt_status_message($1));
    mt_status_release($1);
    return;
  }
}
%typemap(out) mindtorch_swig::Bytes "RETVAL_STRINGL($1.data, $1.size);"

// ---- lists ----

%define LIST(TYPE, FROM, ADD)
%typemap(in) const std::vector<TYPE>& (std::vector<TYPE> list) {
  if (Z_TYPE($input) != IS_ARRAY) {
    set_error("TypeError", "an array of numbers is expected");
    return;
  }
  zval* item;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL($input), item) {
    list.push_back(FROM(item));
  } ZEND_HASH_FOREACH_END();
  $1 = &list;
}
%typemap(out) std::vector<TYPE> {
  const std::vector<TYPE>& list = $1;
  array_init_size($result, static_cast<uint32_t>(list.size()));
  for (TYPE item : list) ADD($result, item);
}
%enddef
LIST(int64_t, zval_get_long, add_next_index_long)
LIST(double, zval_get_double, add_next_index_double)

// SWIG's directors for PHP do not pass handles on: hooks are callables (php_calls.h).
%ignore mindtorch_swig::GradientHook;
%ignore mindtorch_swig::tensor_add_hook;

// ---- calls, methods, operators ----

%{
#include "php_calls.h"
%}
%typemap(in) zval* arguments "$1 = &$input;"
%typemap(in, numinputs=0) zval* returned "$1 = return_value;"
%inline %{
// mindtorch_call(name, overload, arguments): an argument with a string as its key is one by name.
static void mindtorch_call(const char* name, const char* overload, zval* arguments, zval* returned) {
  call_operator(name, overload, nullptr, arguments, returned);
}
%}
%typemap(in) zval* function, zval* derivative "$1 = &$input;"
%inline %{
static int64_t mindtorch_on_gradient(mt_tensor* tensor, zval* function) {
  return mindtorch_swig::add_hook(tensor, std::make_unique<Callable>(function));
}
static void mindtorch_define(const char* schema, zval* function, zval* derivative) { define_in_request(schema, function, derivative); }
%}
%extend mt_tensor {
  // Every operator is a method, $x->sum([1], keepdim: true), and so is what Torch has for tensors: $x->toArray().
  void __call(const char* name, zval* arguments, zval* returned) { call_method(name, $self, arguments, returned); }
}
// Runs at the start of a request: after %init SWIG would overwrite the operators with its own handlers.
%rinit %{
  add_operators(&Tensor_object_handlers);
%}
%rshutdown %{
  undefine_operators();
%}
