// The legacy tensor types such as torch.FloatTensor, and helpers shared by hand-written creation functions.
#pragma once
#include <string>

#include "common.h"

namespace mt::py {

bool is_tensor_type(PyObject* object);  // torch.FloatTensor, ...
int32_t tensor_type_dtype(PyObject* object);
int32_t tensor_type_layout(PyObject* object);    // MT_STRIDED, or MT_SPARSE_COO for torch.sparse.FloatTensor and similar types
mt_device tensor_type_device(PyObject* object);  // without an index
// Strided, sparse_coo or compressed; all compressed layouts form one family.
inline int32_t layout_family(const mt_tensor_info& info) { return info.layout > MT_SPARSE_COO ? MT_SPARSE_CSR : info.layout; }
// "torch.FloatTensor", "torch.npu.HalfTensor", "torch.sparse.FloatTensor"; and the reverse: -1 if unknown, otherwise also the device type.
std::string legacy_type_name(int32_t dtype, mt_device device, int32_t layout = MT_STRIDED);
int32_t dtype_of_legacy_name(const std::string& name, mt_device* device = nullptr);
// Adds the CPU types to one dict, the NPU and sparse types to others.
void make_tensor_types(PyObject* constants, PyObject* npu_types, PyObject* sparse_types);

PyObject* nonzero_function(PyObject* self, PyObject* as_tuple);
void add_parse_to(PyObject* nn);

}  // namespace mt::py
