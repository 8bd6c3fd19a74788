// Any other language of SWIG's: its own library for lists, its own runtime error for ours, with the kind before the message.
// Gradients come through a GradientQueue: how an object crosses into a callback differs between languages.
%ignore mindtorch_swig::GradientHook;
%ignore mindtorch_swig::tensor_add_hook;

%include <std_vector.i>
%template(Ints) std::vector<int64_t>;
%template(Doubles) std::vector<double>;

// How a string with NULs crosses differs between languages.
%ignore mindtorch_swig::tensor_from_bytes;
%ignore mindtorch_swig::tensor_to_bytes;

#if defined(SWIGR)
// SWIG's code for R cannot declare functions that take callbacks, and uses the name `result` itself.
%ignore mt_tensor_traverse;
%ignore mt_node_traverse;
%ignore mt_function_vtable::traverse;
// SWIG adds finalizers for R only to objects from constructors: adds one to objects that functions return.
%typemap(out) SWIGTYPE {
  $result = SWIG_R_NewPointerObj(new $1_ltype($1), $&1_descriptor, SWIG_POINTER_OWN);
  R_RegisterCFinalizerEx($result, [](SEXP object) {
    delete static_cast<$&1_ltype>(R_ExternalPtrAddr(object));
    R_ClearExternalPtr(object);
  }, TRUE);
}
%define R_HANDLE(CTYPE)
%typemap(out) CTYPE* {
  $result = SWIG_R_NewPointerObj(SWIG_as_voidptr($1), $1_descriptor, $owner);
  if ($1 != nullptr && $owner) {
    R_RegisterCFinalizerEx($result, [](SEXP object) {
      CTYPE ## _release(static_cast<CTYPE*>(R_ExternalPtrAddr(object)));
      R_ClearExternalPtr(object);
    }, TRUE);
  }
  // R's garbage collector, which runs the finalizers, does not see how large a tensor is: runs it when tensors use much memory.
  if (mindtorch_swig::memory_is_high()) {
    PROTECT($result);
    R_gc();
    UNPROTECT(1);
    mindtorch_swig::memory_settle();
  }
}
%enddef
R_HANDLE(mt_tensor)
R_HANDLE(mt_storage)
R_HANDLE(mt_generator)
R_HANDLE(mt_node)
R_HANDLE(mt_saved)
#endif

%exception {
  try { $action }
  catch (const mindtorch::Error& error) { SWIG_exception(SWIG_RuntimeError, (error.kind() + ": " + error.what()).c_str()); }
  catch (const std::exception& error) { SWIG_exception(SWIG_RuntimeError, error.what()); }
}
%typemap(out) mt_status* {
  if ($1 != nullptr) {
    mindtorch::Error error($1);
    SWIG_exception(SWIG_RuntimeError, (error.kind() + ": " + error.what()).c_str());
  }
#if defined(SWIGGUILE)
  $result = SCM_UNSPECIFIED;
#endif
}
