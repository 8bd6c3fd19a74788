// A boxed call as Python objects, and what Python gives back as boxed results: what handlers and kernels in Python share.
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

// What a handler returned, as the owned values that the schema promises; `who` is named where the count is wrong.
void give_results(const mt_op* op, PyObject* result, const char* who, mt_value* rets, int64_t n_rets);

}  // namespace mt::py
