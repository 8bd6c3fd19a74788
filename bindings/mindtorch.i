// The complete C ABI for every language of SWIG; swig/LANGUAGE.i contains what differs between languages. Functions without the prefix
// mt_ return their result and throw; those with it are the C functions themselves.
#if defined(SWIGPYTHON)
%module(package="mindtorch", directors="1", threads="1") capi
#else
%module(directors="1") capi
#endif

%{
#include "adapters.h"
#include "support.h"
%}

%include <stdint.i>
%include <std_string.i>
%include <exception.i>

// Lists, exceptions, hooks and the helper `call`, in each language's own form.
#if defined(SWIGPYTHON)
%include "python.i"
#elif defined(SWIGJAVA)
%include "java.i"
#elif defined(SWIGRUBY)
%include "ruby.i"
#elif defined(SWIGPERL)
%include "perl.i"
#elif defined(SWIGLUA)
%include "lua.i"
#elif defined(SWIGTCL)
%include "tcl.i"
#elif defined(SWIGCSHARP)
%include "csharp.i"
#elif defined(SWIGPHP)
%include "php.i"
#else
%include "any.i"
#endif

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

// Each language's garbage collector releases the reference that an object holds; a program that released it as well would free a handle in
// use.
%ignore mt_tensor_retain;    %ignore mt_tensor_release;
%ignore mt_storage_retain;   %ignore mt_storage_release;
%ignore mt_generator_retain; %ignore mt_generator_release;
%ignore mt_node_retain;      %ignore mt_node_release;
%ignore mt_saved_release;

// ---- errors ----

// Each language's file defines how statuses become exceptions. Here every error is an exception; no function returns a status to the
// language.
%rename("$ignore", regexmatch$name="^mt_status_") "";

// ---- what is wrapped ----

// Pointers into a boxed value are useless outside C: Values boxes and unboxes instead.
%ignore mt_value::as;
%immutable mt_tensor_info::sizes;
%immutable mt_tensor_info::strides;

%include <mindtorch/base.h>
%include <mindtorch/tensor.h>
%include <mindtorch/op.h>
%include <mindtorch/autograd.h>
%include <mindtorch/dispatch.h>
%include <mindtorch/kernel.h>
%include <mindtorch/runtime.h>
%include <mindtorch/transform.h>
%ignore mt_site_fn;
%ignore mt_pipeline_site_handler_set;
%include <mindtorch/pipeline.h>
%ignore mt_profile_event::inputs;
%ignore mt_profile_input;
%include <mindtorch/profiler.h>

%newobject mindtorch_swig::Tensors::get;
%newobject mindtorch_swig::Values::get_tensor;
%newobject mindtorch_swig::GradientQueue::poll;
%newobject mindtorch_swig::NamedTensors::get;
%newobject mindtorch_swig::Checkpoint::read;
%newobject mindtorch_swig::tensor_from_doubles;
%newobject mindtorch_swig::tensor_from_bytes;
%nodefaultctor mindtorch_swig::Bytes;
%nodefaultdtor mindtorch_swig::Bytes;
%ignore mindtorch_swig::Bytes;
#if defined(SWIGRUBY) || defined(SWIGPERL) || defined(SWIGPHP)
%apply (char* STRING, size_t LENGTH) { (const char* data, size_t size) };
#endif
%feature("director") mindtorch_swig::GradientHook;
%include "adapters.h"
%include "support.h"
