// Any other language of SWIG's: its own library for lists, its own runtime error for ours, with the kind before the message.
// Gradients come through a GradientQueue: how an object crosses into a callback differs between languages.
%ignore mindtorch_swig::GradientHook;
%ignore mindtorch_swig::tensor_add_hook;

%include <std_vector.i>
%template(Ints) std::vector<int64_t>;
%template(Doubles) std::vector<double>;

#if defined(SWIGPHP)
%typemap(out) mindtorch_swig::Bytes "RETVAL_STRINGL($1.data, $1.size);"
#else
// How a string with NULs crosses differs between languages.
%ignore mindtorch_swig::tensor_from_bytes;
%ignore mindtorch_swig::tensor_to_bytes;
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
