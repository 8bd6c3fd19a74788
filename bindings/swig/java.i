// Java: org.mindtorch; errors are RuntimeExceptions whose message begins with the kind.
// int64_t is C's long on Linux, which SWIG takes for Java's int.
%apply long long { long, unsigned long }
%apply const long long & { const long &, const unsigned long & }
%include <std_vector.i>
%template(Ints) std::vector<int64_t>;
%template(Doubles) std::vector<double>;

%{
static void raise_error(JNIEnv* jenv, const mindtorch::Error& error) {
  SWIG_JavaThrowException(jenv, SWIG_JavaRuntimeException, (error.kind() + ": " + error.what()).c_str());
}
%}
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { raise_error(jenv, error); return $null; }
  catch (const std::out_of_range& error) {
    SWIG_JavaThrowException(jenv, SWIG_JavaIndexOutOfBoundsException, error.what());
    return $null;
  }
  catch (const std::exception& error) {
    SWIG_JavaThrowException(jenv, SWIG_JavaRuntimeException, error.what());
    return $null;
  }
}
%typemap(jni) mt_status* "void"
%typemap(jtype) mt_status* "void"
%typemap(jstype) mt_status* "void"
%typemap(javaout) mt_status* { $jnicall; }
%typemap(out, null="") mt_status* {
  if ($1 != nullptr) raise_error(jenv, mindtorch::Error($1));
}

// The gradient that a hook gets is the hook's own reference.
%typemap(javadirectorin) mt_tensor* gradient "new $javaclassname($jniinput, true)"
