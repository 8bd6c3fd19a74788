// Shared by reading and writing with an index.
#pragma once
#include <vector>

#include "operators.h"
#include "tensor.h"

namespace mt::py {

// A tensor after the view-making parts of an index were applied, and the index tensors that remain.
struct Sliced {
  Handle tensor;
  std::vector<Handle> indices;  // by dimension of `tensor`; empty handles for dimensions without an index
  bool is_self = true;          // no view was made
};
Sliced apply_index(PyObject* self, PyObject* index);
// The index if it is a tuple or list, whose elements may matter; otherwise NULL.
inline PyObject* parts_of(PyObject* index) { return PyTuple_Check(index) || PyList_Check(index) ? index : nullptr; }

// `place` is the position of the index among several, for error texts.
Handle select(mt_tensor* tensor, int64_t dim, int64_t index, int64_t place = 0);
Handle slice(mt_tensor* tensor, int64_t dim, PyObject* slice);
Handle unsqueeze(mt_tensor* tensor, int64_t dim);
bool is_index_int(PyObject* object);

}  // namespace mt::py
