// Ruby: module MindTorch; lists are Arrays, errors are MindTorch::Error with a kind. mindtorch.rb has the rest.
%{
static VALUE made_error(const char* kind, const char* message) {
  VALUE error = rb_exc_new_str(rb_path2class("MindTorch::Error"), rb_utf8_str_new_cstr(message));
  rb_ivar_set(error, rb_intern("@kind"), rb_utf8_str_new_cstr(kind));
  return error;
}
// What the block of a hook raised, as a status.
static mindtorch::Error hook_error(VALUE error) {
  VALUE kind = rb_ivar_defined(error, rb_intern("@kind")) ? rb_ivar_get(error, rb_intern("@kind")) : rb_class_name(CLASS_OF(error));
  VALUE message = rb_funcall(error, rb_intern("message"), 0);
  return mindtorch::Error(mt_status_create(StringValueCStr(kind), StringValueCStr(message)));
}
%}
// Ruby raises with longjmp: nothing of C++ may be on its way out then.
%exception {
  VALUE failed = Qnil;
  try { $action }
  catch (const mindtorch::Error& error) { failed = made_error(error.kind().c_str(), error.what()); }
  catch (const std::out_of_range& error) { failed = made_error("IndexError", error.what()); }
  catch (const std::exception& error) { failed = made_error("RuntimeError", error.what()); }
  if (failed != Qnil) {
    $cleanup
    rb_exc_raise(failed);
  }
}
%typemap(out) mt_status* {
  if ($1 != nullptr) {
    VALUE failed = made_error(mt_status_kind($1), mt_status_message($1));
    mt_status_release($1);
    rb_exc_raise(failed);
  }
  $result = Qnil;
}

// ---- memory: Ruby's collector counts the bytes of tensors as if Ruby had allocated them ----

%typemap(out) mt_tensor*, mt_storage* {
  $result = SWIG_NewPointerObj(SWIG_as_voidptr($1), $1_descriptor, $owner);
  rb_gc_adjust_memory_usage(static_cast<ssize_t>(mindtorch_swig::memory_change()));
  RB_GC_GUARD($result);
}

// ---- lists ----

%define LIST(TYPE, FROM, TO)
%typemap(in) const std::vector<TYPE>& {
  Check_Type($input, T_ARRAY);
  for (long i = 0; i < RARRAY_LEN($input); ++i) (void)FROM(rb_ary_entry($input, i));  // raises before anything is made
  $1 = new std::vector<TYPE>();
  for (long i = 0; i < RARRAY_LEN($input); ++i) $1->push_back(FROM(rb_ary_entry($input, i)));
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

// ---- hooks ----

%feature("director:except") "throw hook_error($error);"
// The gradient that a hook gets is the hook's own reference.
%typemap(directorin) mt_tensor* gradient {
  $input = SWIG_NewPointerObj(SWIG_as_voidptr($1), $1_descriptor, SWIG_POINTER_OWN);
}

// Classes begin with a capital: MtDevice, MtOpInfo.
%rename("%(camelcase)s", %$isclass, regexmatch$name="^mt_(?!tensor$|storage$|generator$|node$|saved$|op$)") "";

%init %{
  rb_define_attr(rb_define_class_under(mMindTorch, "Error", rb_eStandardError), "kind", 1, 0);
%}
