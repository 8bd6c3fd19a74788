// The whole C ABI for every language that SWIG knows: `mindtorch.capi` in Python, org.mindtorch in Java.
// Functions without the prefix mt_ return their result and throw; those with it are the C functions themselves.
%module(package="mindtorch", directors="1", threads="1") capi

%{
#include "adapters.h"
#include "support.h"
%}

%include <stdint.i>
%include <std_string.i>
%include <std_vector.i>
%include <exception.i>

#if defined(SWIGJAVA)
// int64_t is C's long on Linux, which SWIG takes for Java's int.
%apply long long { long, unsigned long }
%apply const long long & { const long &, const unsigned long & }
#endif
%template(Ints) std::vector<int64_t>;
%template(Doubles) std::vector<double>;

// ---- handles: the language's collector holds one reference each ----

%define HANDLE(CTYPE, NAME, RELEASE)
%rename(NAME) CTYPE;
%nodefaultctor CTYPE;
struct CTYPE {};
%extend CTYPE { ~CTYPE() { RELEASE($self); } }
%enddef
HANDLE(mt_tensor, Tensor, mt_tensor_release)
HANDLE(mt_storage, Storage, mt_storage_release)
HANDLE(mt_generator, Generator, mt_generator_release)
HANDLE(mt_node, Node, mt_node_release)
HANDLE(mt_saved, Saved, mt_saved_release)
%rename(Op) mt_op;
%nodefaultctor mt_op;
%nodefaultdtor mt_op;
struct mt_op {};

// The collector counts references; a second hand on them would free handles that are in use.
%ignore mt_tensor_retain;    %ignore mt_tensor_release;
%ignore mt_storage_retain;   %ignore mt_storage_release;
%ignore mt_generator_retain; %ignore mt_generator_release;
%ignore mt_node_retain;      %ignore mt_node_release;
%ignore mt_saved_release;

// ---- errors ----

#if defined(SWIGPYTHON)
%{
// Kinds are Python's own names, so most of them are found among the built-in exceptions. What a hook raised stays as it is.
static void raise_error(const mindtorch::Error& error) {
  if (PyErr_Occurred() != nullptr) return;
  PyObject* type = PyDict_GetItemString(PyEval_GetBuiltins(), error.kind().c_str());
  PyErr_SetString(type != nullptr && PyExceptionClass_Check(type) ? type : PyExc_RuntimeError, error.what());
}
%}
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { raise_error(error); SWIG_fail; }
  catch (const Swig::DirectorException&) { SWIG_fail; }
  catch (const std::out_of_range& error) { SWIG_exception_fail(SWIG_IndexError, error.what()); }
  catch (const std::exception& error) { SWIG_exception_fail(SWIG_RuntimeError, error.what()); }
}
#elif defined(SWIGJAVA)
%exception {
  try { $action }
  catch (const mindtorch::Error& error) {
    SWIG_JavaThrowException(jenv, SWIG_JavaRuntimeException, (error.kind() + ": " + error.what()).c_str());
    return $null;
  }
  catch (const std::out_of_range& error) {
    SWIG_JavaThrowException(jenv, SWIG_JavaIndexOutOfBoundsException, error.what());
    return $null;
  }
  catch (const std::exception& error) {
    SWIG_JavaThrowException(jenv, SWIG_JavaRuntimeException, error.what());
    return $null;
  }
}
#else
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { SWIG_exception(SWIG_RuntimeError, (error.kind() + ": " + error.what()).c_str()); }
  catch (const std::exception& error) { SWIG_exception(SWIG_RuntimeError, error.what()); }
}
#endif

// The C functions give statuses: an error is the same exception, success is nothing.
#if defined(SWIGPYTHON)
%typemap(out) mt_status* {
  if ($1 != nullptr) { raise_error(mindtorch::Error($1)); SWIG_fail; }
  $result = SWIG_Py_Void();
}
#elif defined(SWIGJAVA)
%typemap(jni) mt_status* "void"
%typemap(jtype) mt_status* "void"
%typemap(jstype) mt_status* "void"
%typemap(javaout) mt_status* { $jnicall; }
%typemap(out, null="") mt_status* {
  if ($1 != nullptr) {
    mindtorch::Error error($1);
    SWIG_JavaThrowException(jenv, SWIG_JavaRuntimeException, (error.kind() + ": " + error.what()).c_str());
  }
}
#endif
// Here they are exceptions only: none reaches the language as a value.
%rename("$ignore", regexmatch$name="^mt_status_") "";

// ---- what is wrapped ----

#if defined(SWIGPYTHON)
// A thread that waits or computes for long leaves Python to the others; hooks take it back.
%nothread;
%thread mindtorch_swig::GradientHook;
%thread mindtorch_swig::GradientHook::call;
%thread mindtorch_swig::GradientHook::~GradientHook;
%thread mindtorch_swig::autograd_backward;
%thread mindtorch_swig::autograd_grad;
%thread mindtorch_swig::op_call;
%thread mindtorch_swig::dispatch;
%thread mt_autograd_backward;
%thread mt_autograd_grad;
%thread mt_autograd_run;
%thread mt_op_call;
%thread mt_op_call_named;
%thread mt_dispatch;
%thread mt_parallel_for;
#endif

// Pointers to parts of a boxed value make no sense outside C: Values boxes and unboxes.
%ignore mt_value::as;
%immutable mt_tensor_info::sizes;
%immutable mt_tensor_info::strides;

%include <mindtorch/base.h>
%include <mindtorch/tensor.h>
%include <mindtorch/op.h>
%include <mindtorch/autograd.h>
%include <mindtorch/dispatch.h>
%include <mindtorch/runtime.h>
%include <mindtorch/transform.h>
%ignore mt_site_fn;
%ignore mt_pipeline_site_handler_set;
%include <mindtorch/pipeline.h>

%newobject mindtorch_swig::Tensors::get;
%newobject mindtorch_swig::Values::get_tensor;
%newobject mindtorch_swig::GradientQueue::poll;
%newobject mindtorch_swig::tensor_from_doubles;
%feature("director") mindtorch_swig::GradientHook;
// The gradient that a hook gets is the hook's own reference.
#if defined(SWIGPYTHON)
%typemap(directorin) mt_tensor* gradient {
  $input = SWIG_NewPointerObj(SWIG_as_voidptr($1), $1_descriptor, SWIG_POINTER_OWN);
}
#elif defined(SWIGJAVA)
%typemap(javadirectorin) mt_tensor* gradient "new $javaclassname($jniinput, true)"
#endif
%include "adapters.h"
%include "support.h"

#if defined(SWIGPYTHON)
%pythoncode %{
def call(name, overload, *args):
    """Calls an operator with plain Python arguments; one result comes as itself, several as a list."""
    values = Values()
    for arg in args:
        if arg is None:
            values.add_none()
        elif isinstance(arg, Tensor):
            values.add_tensor(arg)
        elif isinstance(arg, bool):
            values.add_bool(arg)
        elif isinstance(arg, int):
            values.add_int(arg)
        elif isinstance(arg, float):
            values.add_double(arg)
        elif isinstance(arg, str):
            values.add_string(arg)
        elif isinstance(arg, (list, tuple)) and all(isinstance(item, int) for item in arg):
            values.add_ints(arg)
        elif isinstance(arg, (list, tuple)) and all(isinstance(item, Tensor) for item in arg):
            tensors = Tensors()
            for item in arg:
                tensors.add(item)
            values.add_tensors(tensors)
        else:
            raise TypeError(f"no boxed value for {type(arg).__name__}")
    results = dispatch(name, overload, values)
    found = [_result(results, i) for i in range(results.size())]
    return found[0] if len(found) == 1 else found


def _result(results, i):
    tag = results.tag(i)
    if tag == MT_TAG_TENSOR:
        return results.get_tensor(i)
    if tag == MT_TAG_TENSORS:
        tensors = results.get_tensors(i)
        return [tensors.get(j) for j in range(tensors.size())]
    getters = {MT_TAG_INT: results.get_int, MT_TAG_DOUBLE: results.get_double, MT_TAG_BOOL: results.get_bool}
    return getters[tag](i) if tag in getters else None


def backward(root):
    """Accumulates gradients of a single-element tensor into the leaves."""
    roots = Tensors()
    roots.add(root)
    autograd_backward(roots, Tensors(), False, False)
%}
#endif
