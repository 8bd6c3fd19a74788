// Shared by hand-written methods of tensors.
#pragma once
#include "signature.h"
#include "tensor.h"
#include "torch_function.h"

namespace mt::py {

// Offers the call to __torch_function__, then runs the body.
template <class F>
PyObject* method(PyObject* self, const char* name, PyObject* const* values, Py_ssize_t n, PyObject* names, F&& body) {
  return guarded([&]() -> PyObject* {
    if (PyObject* result = try_torch_function_method(self, name, values, n, names)) return result;
    return body();
  });
}

// As method(), for methods whose arguments may have a __torch_function__.
template <class F>
PyObject* method_of_arguments(PyObject* self, const char* name, PyObject* const* values, Py_ssize_t n, PyObject* names, F&& body) {
  return guarded([&]() -> PyObject* {
    if (PyObject* result = try_torch_function_arguments(self, name, values, n, names)) return result;
    return body();
  });
}

// A CPU tensor with the same values and without lazy conjugation or negation, whose memory can be read (conversions.cpp).
Handle copy_values_to_plain_cpu_tensor(mt_tensor* tensor);
Handle copy_to_dtype(mt_tensor* tensor, int32_t dtype);
// Whether a tensor is on the requested device (null: any). As in torch, CPU and meta tensors are not on one with an index, such as cpu:0.
bool is_on(const mt_tensor_info& info, const mt_device* device);
// Returns self if it has this dtype and device and no copy is requested; otherwise a copy (the operator _to_copy).
PyObject* convert_tensor(PyObject* self, int32_t dtype, const mt_device* device, bool non_blocking, bool copy, int32_t memory_format);

// Stores a Python number as an element, with torch's overflow checks (from_data.cpp).
void store_number(char* place, int32_t dtype, PyObject* number);
// Makes a tensor from nested sequences, numbers, arrays or tensors. dtype -1: inferred.
Handle tensor_from_data(PyObject* data, int32_t dtype, const mt_device* device);
// Makes a tensor over a NumPy array's memory (numpy_exchange.cpp).
Handle tensor_from_numpy(PyObject* array, bool warn_if_not_writable);
// Shows a tensor made from data to modes of __torch_dispatch__, by a call that returns it.
Handle record_fresh_tensor(Handle made);
bool is_numpy_array(PyObject* object);
PyObject* to_numpy(PyObject* self, bool force);

}  // namespace mt::py
