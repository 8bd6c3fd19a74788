// C#: namespace MindTorch, the functions in class capi; errors are MindTorch.Error with a Kind.
// int64_t is C's long on Linux, which SWIG takes for C#'s int.
%apply long long { long }
%apply unsigned long long { unsigned long }
%apply const long long& { const long& }
%apply const unsigned long long& { const unsigned long& }
%include <std_vector.i>
%template(Ints) std::vector<int64_t>;
%template(Doubles) std::vector<double>;

// A list argument may be any IEnumerable of numbers.
%define LIST(TYPE, NUMBER, PROXY)
%typemap(cstype) const std::vector<TYPE>& "global::System.Collections.Generic.IEnumerable<NUMBER>"
%typemap(csin) const std::vector<TYPE>& "PROXY.getCPtr(new PROXY($csinput))"
%enddef
LIST(int64_t, long, Ints)
LIST(double, double, Doubles)

// ---- errors: they wait until the call is back in C#, as SWIG's own exceptions do ----

%insert(runtime) %{
typedef void(SWIGSTDCALL* ErrorCallback)(const char* kind, const char* message);
static ErrorCallback raise_error = nullptr;
extern "C" SWIGEXPORT void SWIGSTDCALL mindtorch_csharp_on_error(ErrorCallback callback) { raise_error = callback; }
%}
%pragma(csharp) imclasscode=%{
  internal delegate void ErrorCallback(string kind, string message);
  [global::System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="mindtorch_csharp_on_error")]
  static extern void on_error(ErrorCallback callback);
  static readonly ErrorCallback raise = (kind, message) => SWIGPendingException.Set(new Error(kind, message));
  static readonly bool listening = listen();
  static bool listen() { on_error(raise); return true; }
%}
%feature("except", canthrow="1") {
  try { $action }
  catch (const mindtorch::Error& error) { raise_error(error.kind().c_str(), error.what()); return $null; }
  catch (const std::out_of_range& error) { raise_error("IndexError", error.what()); return $null; }
  catch (const std::exception& error) { raise_error("RuntimeError", error.what()); return $null; }
}
%typemap(ctype) mt_status* "void"
%typemap(imtype) mt_status* "void"
%typemap(cstype) mt_status* "void"
%typemap(csout, excode=SWIGEXCODE) mt_status* {
    $imcall;$excode
  }
%typemap(out, canthrow=1, null="") mt_status* {
  if ($1 != nullptr) {
    raise_error(mt_status_kind($1), mt_status_message($1));
    mt_status_release($1);
  }
}

// ---- calls and arrays: see csharp/Operator.cs ----

%{
#include "csharp_calls.h"
%}
// C# reads elements by arrays and spans.
%ignore mindtorch_swig::tensor_from_bytes;
%ignore mindtorch_swig::tensor_to_bytes;

// ---- handles: Dispose releases them at once, a finalizer some time ----

%define CSHARP_HANDLE(CTYPE)
%typemap(csclassmodifiers) CTYPE "public partial class"
%typemap(csbody) CTYPE %{
  private global::System.Runtime.InteropServices.HandleRef swigCPtr;
  private bool swigCMemOwn;

  internal $csclassname(global::System.IntPtr cPtr, bool cMemoryOwn) : this(cPtr, cMemoryOwn, cMemoryOwn) {}

  internal $csclassname(global::System.IntPtr cPtr, bool cMemoryOwn, bool checkMemory) {
    swigCMemOwn = cMemoryOwn;
    swigCPtr = new global::System.Runtime.InteropServices.HandleRef(this, cPtr);
    if (cMemoryOwn) Scope.Add(this);
    if (checkMemory) Memory.Check();
  }

  internal static global::System.Runtime.InteropServices.HandleRef getCPtr($csclassname obj) {
    if (obj == null) return new global::System.Runtime.InteropServices.HandleRef(null, global::System.IntPtr.Zero);
    if (obj.IsDisposed) throw new global::System.ObjectDisposedException("$csclassname");
    return obj.swigCPtr;
  }

  /// <summary>Whether Dispose was called: any other use throws an ObjectDisposedException then.</summary>
  public bool IsDisposed { get { return swigCPtr.Handle == global::System.IntPtr.Zero; } }
%}
%enddef
CSHARP_HANDLE(mt_tensor)
CSHARP_HANDLE(mt_storage)
CSHARP_HANDLE(mt_generator)
CSHARP_HANDLE(mt_node)
CSHARP_HANDLE(mt_saved)

// ---- hooks: an exception must not cross C++, so `on_gradient` in MindTorch.cs keeps it ----

// The gradient that a hook gets is the hook's own reference.
%typemap(csdirectorin) mt_tensor* gradient "new $csclassname($iminput, true)"
