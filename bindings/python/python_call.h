// Converts boxed calls to Python objects and Python results to boxed values, for handlers and kernels in Python.
#pragma once

#include <vector>

#include "common.h"

namespace mt::py {

struct PythonCall {
  Ref function, args, kwargs, types;
  std::vector<PyObject*> overloaded;
  std::vector<Ref> kept;
};
PythonCall make_call(const mt_op* op, const mt_value* values, int64_t n);

// Whether this thread has modes of __torch_dispatch__.
bool has_dispatch_modes();

// Converts a handler's result to owned values of the schema's types; an error about the count names `who`.
void convert_results(const mt_op* op, PyObject* result, const char* who, mt_value* rets, int64_t n_rets);

}  // namespace mt::py
