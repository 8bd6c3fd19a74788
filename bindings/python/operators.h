// The registry's operators as Python functions and methods.
#pragma once
#include <string>
#include <vector>

#include "common.h"
#include "signature.h"
#include "tensor.h"

namespace mt::py {

// The overloads that share one Python name, and where Python finds the name.
struct OverloadGroup {
  Overloads overloads;
  std::string python_name;     // the attribute's name
  std::string module;          // "", "nn", ...; empty for methods
  bool is_method = false;
  bool is_operator = false;    // a dunder: TypeError becomes NotImplemented
  bool takes_arrays = false;  // __eq__: NumPy arrays, too
  const char* doc = nullptr;
  PyObject* function = nullptr;  // what __torch_function__ receives, looked up on first use
};

// All results of one operator call, freed together.
struct Results {
  static constexpr int capacity = 16;
  mt_value values[capacity];
  int64_t n = 0;
  ~Results() {
    for (int64_t i = 0; i < n; ++i) mt_value_clear(&values[i]);
  }
};

// Calls an operator; releases the GIL if that is worthwhile.
void call(const mt_op* op, const mt_value* args, int64_t n, Results& results);
// Finds an operator by name; `slot` caches the lookup.
const mt_op* find_op(const char* name, const char* overload);
Handle call_for_tensor(const mt_op* op, const mt_value* args, int64_t n);

PyObject* invoke(OverloadGroup& group, const Arguments& arguments);
// The Python function or method that dispatches among the overloads of a group (a borrowed reference).
PyObject* function_of(OverloadGroup& group);
OverloadGroup* find_method(const char* name);

// Converts an owned result to a Python object, and moves its contents out of the value.
PyObject* to_python(mt_value& value);
// The results of an operator: one object, a tuple, or a named tuple.
PyObject* results_to_python(const mt_op* op, Results& results);
void init_return_types(PyObject* module);
// A named tuple type for an operator's results, NULL if they have no names.
PyTypeObject* return_type(const mt_op* op);

// Offers a call to __torch_function__ of modes and overloaded arguments; self is inserted in front.
PyObject* forward_to_torch_function(PyObject* function, const char* name, const Arguments& arguments,
                                    const std::vector<PyObject*>& overloaded);

void append_operator_methods(std::vector<PyMethodDef>& methods);
// Gives a tensor class number operators that skip the lookup of dunder methods for plain torch.Tensor and Parameter objects.
void install_fast_numbers(PyTypeObject* type);

// Boxes values of common types.
inline mt_value tensor_value(mt_tensor* tensor) {
  mt_value v{};
  v.tag = tensor ? MT_TAG_TENSOR : MT_TAG_NONE;
  v.as.tensor = tensor;
  return v;
}
inline mt_value int_value(int64_t i) {
  mt_value v{};
  v.tag = MT_TAG_INT;
  v.as.i = i;
  return v;
}
inline mt_value bool_value(bool b) {
  mt_value v{};
  v.tag = MT_TAG_BOOL;
  v.as.i = b;
  return v;
}
inline mt_value dtype_value(int32_t dtype) {
  mt_value v{};
  v.tag = dtype < 0 ? MT_TAG_NONE : MT_TAG_DTYPE;
  v.as.i = dtype;
  return v;
}
inline mt_value none_value() {
  mt_value v{};
  v.tag = MT_TAG_NONE;
  return v;
}
inline mt_value device_value(mt_device device) {
  mt_value v{};
  v.tag = MT_TAG_DEVICE;
  v.as.device = device;
  return v;
}
inline mt_value list_value(int32_t tag, const void* data, int64_t size) {
  mt_value v{};
  v.tag = tag;
  v.as.list = {data, size};
  return v;
}

}  // namespace mt::py
