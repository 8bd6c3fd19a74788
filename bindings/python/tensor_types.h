// The legacy tensor types torch.FloatTensor and its kin, and what hand-written creation functions share.
#pragma once
#include <string>

#include "common.h"

namespace mt::py {

bool is_tensor_type(PyObject* object);  // torch.FloatTensor, ...
int32_t tensor_type_dtype(PyObject* object);
int32_t tensor_type_layout(PyObject* object);    // MT_STRIDED, or MT_SPARSE_COO of torch.sparse.FloatTensor and its kin
mt_device tensor_type_device(PyObject* object);  // without an index
// Strided, of coordinates or compressed, all compressed layouts alike.
inline int32_t layout_family(const mt_tensor_info& info) { return info.layout > MT_SPARSE_COO ? MT_SPARSE_CSR : info.layout; }
// "torch.FloatTensor", "torch.npu.HalfTensor", "torch.sparse.FloatTensor"; and back: -1 where unknown, else the kind of device too.
std::string legacy_type_name(int32_t dtype, mt_device device, int32_t layout = MT_STRIDED);
int32_t dtype_of_legacy_name(const std::string& name, mt_device* device = nullptr);
// Adds the CPU's types to one dict, the NPU's and those of tensors of coordinates to others.
void make_tensor_types(PyObject* constants, PyObject* npu_types, PyObject* sparse_types);

PyObject* nonzero_function(PyObject* self, PyObject* as_tuple);
void add_parse_to(PyObject* nn);

}  // namespace mt::py
