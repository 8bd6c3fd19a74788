// Ruby: module MindTorch; lists are Arrays, errors are MindTorch::Error with a kind. mindtorch.rb has the rest.
%{
static VALUE make_error(const char* kind, const char* message) {
  VALUE error = rb_exc_new_str(rb_path2class("MindTorch::Error"), rb_utf8_str_new_cstr(message));
  rb_ivar_set(error, rb_intern("@kind"), rb_utf8_str_new_cstr(kind));
  return error;
}
[[noreturn]] static void raise_status(mt_status* status) {
  const VALUE failed = make_error(mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  rb_exc_raise(failed);
}
%}
%{
#include <ruby/thread.h>

// Long calls run without the lock of Ruby's interpreter; a hook acquires it again.
static thread_local bool has_left_interpreter = false;
template <class Work>
static void without_lock(Work&& work) {
  std::exception_ptr failed;
  bool done = false;
  auto run = [&] {
    try { work(); } catch (...) { failed = std::current_exception(); }
    done = true;
  };
  auto outside = [](void* state) -> void* {
    has_left_interpreter = true;
    (*static_cast<decltype(run)*>(state))();
    has_left_interpreter = false;
    return nullptr;
  };
  rb_thread_call_without_gvl2(outside, &run, nullptr, nullptr);
  if (!done) run();  // an interrupt is pending, which Ruby handles after this call
  if (failed != nullptr) std::rethrow_exception(failed);
}
static void with_lock(void (*run)(void*), void* state) {
  if (!has_left_interpreter) return run(state);
  std::pair<void (*)(void*), void*> both{run, state};
  has_left_interpreter = false;
  rb_thread_call_with_gvl([](void* given) -> void* {
    auto* both = static_cast<std::pair<void (*)(void*), void*>*>(given);
    both->first(both->second);
    return nullptr;
  }, &both);
  has_left_interpreter = true;
}
%}

// Ruby raises with longjmp, which skips destructors, so the exception is raised after all C++ objects are destroyed.
%define EXCEPTION(NAME, ACTION)
%exception NAME {
  VALUE failed = Qnil;
  try { ACTION }
  catch (const mindtorch::Error& error) { failed = make_error(error.kind().c_str(), error.what()); }
  catch (const std::out_of_range& error) { failed = make_error("IndexError", error.what()); }
  catch (const std::exception& error) { failed = make_error("RuntimeError", error.what()); }
  if (failed != Qnil) {
    $cleanup
    rb_exc_raise(failed);
  }
}
%enddef
EXCEPTION(, $action)
EXCEPTION(mindtorch_swig::backward, without_lock([&] { $action });)
EXCEPTION(mindtorch_swig::autograd_backward, without_lock([&] { $action });)
EXCEPTION(mindtorch_swig::autograd_grad, without_lock([&] { $action });)
EXCEPTION(mindtorch_swig::op_call, without_lock([&] { $action });)
EXCEPTION(mindtorch_swig::dispatch, without_lock([&] { $action });)
%typemap(out) mindtorch_swig::Bytes "$result = rb_str_new($1.data, static_cast<long>($1.size));"
%typemap(out) mt_status* {
  if ($1 != nullptr) raise_status($1);
  $result = Qnil;
}

// ---- memory: Ruby's collector counts the bytes of tensors as if Ruby had allocated them ----

%{
// Adds a new handle to the innermost MindTorch.scope of this thread, which closes it at its end.
static VALUE add_to_scope(VALUE handle) {
  const VALUE scope = rb_thread_local_aref(rb_thread_current(), rb_intern("mindtorch_scope"));
  if (!NIL_P(scope) && !NIL_P(handle)) rb_ary_push(scope, handle);
  return handle;
}
%}
%typemap(out) mt_tensor*, mt_storage* {
  $result = add_to_scope(SWIG_NewPointerObj(SWIG_as_voidptr($1), $1_descriptor, $owner));
  rb_gc_adjust_memory_usage(static_cast<ssize_t>(mindtorch_swig::memory_change()));
  RB_GC_GUARD($result);
}

// ---- lists ----

%define LIST(TYPE, FROM, TO)
// Every argument is converted, and may raise, before `check` makes the first list.
%typemap(in) const std::vector<TYPE>& (VALUE given) {
  given = $input;
  Check_Type(given, T_ARRAY);
  for (long i = 0; i < RARRAY_LEN(given); ++i) (void)FROM(rb_ary_entry(given, i));
}
%typemap(check) const std::vector<TYPE>& {
  $1 = new std::vector<TYPE>();
  for (long i = 0; i < RARRAY_LEN(given$argnum); ++i) $1->push_back(FROM(rb_ary_entry(given$argnum, i)));
}
%typemap(freearg) const std::vector<TYPE>& "delete $1;"
%typemap(out) std::vector<TYPE> {
  const std::vector<TYPE>& list = $1;
  $result = rb_ary_new_capa(static_cast<long>(list.size()));
  for (TYPE item : list) rb_ary_push($result, TO(item));
}
%enddef
LIST(int64_t, NUM2LL, LL2NUM)
LIST(double, NUM2DBL, DBL2NUM)

// Hooks are blocks (ruby_calls.h): a director would keep a hook's arguments where the collector does not find them.
%ignore mindtorch_swig::GradientHook;
%ignore mindtorch_swig::tensor_add_hook;

// Classes begin with a capital: MtDevice, MtOpInfo.
%rename("%(camelcase)s", %$isclass, regexmatch$name="^mt_(?!tensor$|storage$|generator$|node$|saved$|op$)") "";

%{
#include "ruby_calls.h"
%}
// A closed object must not be accepted as nil.
%typemap(in) mt_tensor*, const mt_tensor*, mt_storage*, const mt_storage*, mt_generator*, const mt_generator*, mt_node*, const mt_node*,
    mt_saved*, const mt_saved* {
  refuse_closed($input);
  void* pointer = nullptr;
  const int status = SWIG_ConvertPtr($input, &pointer, $descriptor, $disown);
  if (!SWIG_IsOK(status)) {
    SWIG_exception_fail(SWIG_ArgError(status), Ruby_Format_TypeError("", "$1_type", "$symname", $argnum, $input));
  }
  $1 = reinterpret_cast<$1_ltype>(pointer);
}

%init %{
  protect_hooks();
  rb_define_attr(rb_define_class_under(mMindTorch, "Error", rb_eStandardError), "kind", 1, 0);
  rb_define_module_function(mMindTorch, "call", RUBY_METHOD_FUNC(call_operator), -1);
  rb_define_module_function(mMindTorch, "add_gradient_hook", RUBY_METHOD_FUNC(add_gradient_hook), 2);
  rb_define_module_function(mMindTorch, "define_handles", RUBY_METHOD_FUNC(define_handles), 0);  // its classes come after this
%}
