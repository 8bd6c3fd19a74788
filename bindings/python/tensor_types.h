// The legacy tensor types torch.FloatTensor and its kin, and what hand-written creation functions share.
#pragma once
#include <string>

#include "common.h"

namespace mt::py {

bool is_tensor_type(PyObject* object);  // torch.FloatTensor, ...
int32_t tensor_type_dtype(PyObject* object);
PyObject* tensor_type_object(int32_t dtype);  // borrowed, NULL where there is none
// "torch.FloatTensor", "torch.npu.HalfTensor"; and back: -1 where unknown.
std::string legacy_type_name(int32_t dtype, mt_device device);
int32_t dtype_of_legacy_name(const std::string& name);
// Adds the types to a dict.
void make_tensor_types(PyObject* constants);

PyObject* nonzero_function(PyObject* self, PyObject* as_tuple);
void add_parse_to(PyObject* nn);

}  // namespace mt::py
