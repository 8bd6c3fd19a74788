// sparse_coo tensors in another shape: selections, concatenations and permuted dimensions. Kernels of the operators of the same
// names.
#pragma once

#include "rules/sparse/sparse.h"

namespace mt {

Tensor sparse_transpose(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor sparse_permute(const Tensor& self, IntList dims);
Tensor sparse_unsqueeze(const Tensor& self, int64_t dim);
Tensor sparse_select(const Tensor& self, int64_t dim, int64_t index);
Tensor sparse_narrow_copy(const Tensor& self, int64_t dim, int64_t start, int64_t length);
Tensor sparse_index_select(const Tensor& self, int64_t dim, const Tensor& index);
Tensor sparse_broadcast_to(const Tensor& self, IntList size);
Tensor sparse_cat(TensorList tensors, int64_t dim);

}  // namespace mt
