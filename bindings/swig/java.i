// Java: org.mindtorch, the functions in class capi; errors are MindTorchExceptions with a kind. MindTorch.java has the rest.
// int64_t is C's long on Linux, which SWIG takes for Java's int.
%apply long long { long, unsigned long }
%apply const long long & { const long &, const unsigned long & }
%include <std_vector.i>
%template(Ints) std::vector<int64_t>;
%template(Doubles) std::vector<double>;

%{
static void raise_error(JNIEnv* jenv, const char* kind, const char* message) {
  jclass type = jenv->FindClass("org/mindtorch/MindTorchException");
  if (type == nullptr) return;  // that there is no such class is pending now
  jmethodID make = jenv->GetMethodID(type, "<init>", "(Ljava/lang/String;Ljava/lang/String;)V");
  jstring texts[] = {jenv->NewStringUTF(kind), jenv->NewStringUTF(message)};
  jenv->Throw(static_cast<jthrowable>(jenv->NewObject(type, make, texts[0], texts[1])));
}
%}
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { raise_error(jenv, error.kind().c_str(), error.what()); return $null; }
  catch (const std::out_of_range& error) { raise_error(jenv, "IndexError", error.what()); return $null; }
  catch (const std::exception& error) { raise_error(jenv, "RuntimeError", error.what()); return $null; }
}
%typemap(jni) mt_status* "void"
%typemap(jtype) mt_status* "void"
%typemap(jstype) mt_status* "void"
%typemap(javaout) mt_status* { $jnicall; }
%typemap(out, null="") mt_status* {
  if ($1 != nullptr) {
    raise_error(jenv, mt_status_kind($1), mt_status_message($1));
    mt_status_release($1);
  }
}

// ---- calls, arrays and buffers ----

%{
#include "java_calls.h"
%}
%pragma(java) jniclasscode=%{
  static { Natives.load(); }
  static native long[] call(String name, String overload, byte[] kinds, long[] bits, Object[] objects, String[] names);
  static native long create(Object array, int dtype, long[] sizes);
  static native void read(long tensor, Object array, int dtype);
  static native java.nio.ByteBuffer buffer(long tensor);
  static native long wrap(java.nio.ByteBuffer buffer, int offset, int dtype, long[] sizes);
  static native long share(long tensor);
%}
// Java reads bytes by buffers.
%ignore mindtorch_swig::tensor_from_bytes;
%ignore mindtorch_swig::tensor_to_bytes;

// ---- handles: Handle.java releases them, by a Cleaner or at once ----

%define JAVA_HANDLE(CTYPE, BASE)
%typemap(javabase) CTYPE "BASE"
%typemap(javabody) CTYPE %{
  protected $javaclassname(long cPtr, boolean cMemoryOwn) {
    super(cPtr, cMemoryOwn, $imclassname::delete_$javaclassname);
  }

  protected static long getCPtr($javaclassname obj) {
    return obj == null ? 0 : obj.address();
  }
%}
%typemap(javafinalize) CTYPE ""
%typemap(javadestruct, methodname="delete", methodmodifiers="public") CTYPE "{ close(); }"
%enddef
JAVA_HANDLE(mt_tensor, TensorMethods)
JAVA_HANDLE(mt_storage, Handle)
JAVA_HANDLE(mt_generator, Handle)
JAVA_HANDLE(mt_node, Handle)
JAVA_HANDLE(mt_saved, Handle)

// The gradient that a hook gets is the hook's own reference.
%typemap(javadirectorin) mt_tensor* gradient "new $javaclassname($jniinput, true)"
