// Java: org.mindtorch, the functions in class capi; errors are MindTorchExceptions with a kind. MindTorch.java has the rest.
// int64_t is C's long on Linux, which SWIG takes for Java's int.
%apply long long { long, unsigned long }
%apply const long long & { const long &, const unsigned long & }
%include <std_vector.i>
%template(Ints) std::vector<int64_t>;
%template(Doubles) std::vector<double>;

%{
// JNI's own functions for strings use a UTF-8 of Java's, which differs for NUL and beyond U+FFFF.
static jstring java_text(JNIEnv* jenv, const char* text, size_t size) {
  jbyteArray bytes = jenv->NewByteArray(static_cast<jsize>(size));
  if (bytes == nullptr) return nullptr;
  jenv->SetByteArrayRegion(bytes, 0, static_cast<jsize>(size), reinterpret_cast<const jbyte*>(text));
  jclass type = jenv->FindClass("java/lang/String");
  jmethodID make = jenv->GetMethodID(type, "<init>", "([BLjava/lang/String;)V");
  return static_cast<jstring>(jenv->NewObject(type, make, bytes, jenv->NewStringUTF("UTF-8")));
}
static jstring java_text(JNIEnv* jenv, const char* text) {
  const size_t size = std::strlen(text);
  const bool is_ascii = std::all_of(text, text + size, [](char letter) { return static_cast<signed char>(letter) >= 0; });
  return is_ascii ? jenv->NewStringUTF(text) : java_text(jenv, text, size);
}

struct Thrown {};  // an exception of Java's is pending

[[noreturn]] static void throw_java(JNIEnv* jenv, const char* type, const char* message) {
  if (!jenv->ExceptionCheck()) jenv->ThrowNew(jenv->FindClass(type), message);
  throw Thrown();
}

static std::string copy_text(JNIEnv* jenv, jobject object) {
  if (object == nullptr) throw_java(jenv, "java/lang/NullPointerException", "a string is null");
  jstring text = static_cast<jstring>(object);
  const jsize length = jenv->GetStringLength(text);
  if (jenv->GetStringUTFLength(text) == length) {  // only ASCII
    std::string copy(static_cast<size_t>(length) + 1, '\0');  // the function may write a NUL
    jenv->GetStringUTFRegion(text, 0, length, copy.data());
    copy.resize(static_cast<size_t>(length));
    return copy;
  }
  jmethodID encode = jenv->GetMethodID(jenv->FindClass("java/lang/String"), "getBytes", "(Ljava/lang/String;)[B");
  auto bytes = static_cast<jbyteArray>(jenv->CallObjectMethod(text, encode, jenv->NewStringUTF("UTF-8")));
  if (jenv->ExceptionCheck()) throw Thrown();
  std::string copy(static_cast<size_t>(jenv->GetArrayLength(bytes)), '\0');
  jenv->GetByteArrayRegion(bytes, 0, static_cast<jsize>(copy.size()), reinterpret_cast<jbyte*>(copy.data()));
  jenv->DeleteLocalRef(bytes);
  return copy;
}

static void raise_error(JNIEnv* jenv, const char* kind, const char* message) {
  jclass type = jenv->FindClass("org/mindtorch/MindTorchException");
  if (type == nullptr) return;  // that there is no such class is pending now
  jmethodID make = jenv->GetMethodID(type, "<init>", "(Ljava/lang/String;Ljava/lang/String;)V");
  jstring texts[] = {java_text(jenv, kind), java_text(jenv, message)};
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

// ---- strings ----

%typemap(in) char* (std::string text) {
  if ($input != nullptr) {
    try { text = copy_text(jenv, $input); } catch (const Thrown&) { return $null; }
    if (text.find('\0') != std::string::npos) {
      raise_error(jenv, "ValueError", "a string contains NUL");
      return $null;
    }
    $1 = text.data();
  }
}
%typemap(freearg) char* ""
%typemap(out) char* { if ($1 != nullptr) $result = java_text(jenv, $1); }
%typemap(in) const std::string& (std::string text) {
  try { text = copy_text(jenv, $input); } catch (const Thrown&) { return $null; }
  $1 = &text;
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
  static native long addHook(long tensor, long hook);
%}
// Java has direct buffers for access to bytes, so these functions are not wrapped.
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
