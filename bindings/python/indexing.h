// What reading and writing by index share.
#pragma once
#include <vector>

#include "operators.h"
#include "tensor.h"

namespace mt::py {

// A tensor after the parts of an index that are views, and the tensors that remain to be gathered by.
struct Sliced {
  Handle tensor;
  std::vector<Handle> indices;  // by dimension of `tensor`, empty handles where there is none
  bool is_self = true;          // no view was made
};
Sliced apply_index(PyObject* self, PyObject* index);
// The index where it has elements of its own.
inline PyObject* parts_of(PyObject* index) { return PyTuple_Check(index) || PyList_Check(index) ? index : nullptr; }

// `place` is the index's own among several, which an error names.
Handle select(mt_tensor* tensor, int64_t dim, int64_t index, int64_t place = 0);
Handle slice(mt_tensor* tensor, int64_t dim, PyObject* slice);
Handle unsqueeze(mt_tensor* tensor, int64_t dim);
bool is_index_int(PyObject* object);

}  // namespace mt::py
