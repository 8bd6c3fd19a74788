// Softmax and its logarithm, forward and backward, of contiguous rows or columns.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace mt::cpu {

enum class SoftmaxKind { plain, logarithm };

// Half types, float and double; `dtype` is T's. The result may overwrite an input of the same address.

// Over `rows` contiguous rows of n elements, at least one.
template <class T>
void softmax_rows(SoftmaxKind kind, const T* in, T* out, Dtype dtype, int64_t rows, int64_t n);
// The gradient of softmax, computed from its result.
template <class T>
void softmax_rows_backward(SoftmaxKind kind, const T* grad, const T* output, T* out, Dtype dtype, int64_t rows, int64_t n);

// Over the middle dimension of contiguous [outer][n][inner] elements. A tile of half types becomes one of floats, which must fit into the
// caches.
struct SoftmaxColumns {
  int64_t outer, n, inner;
};
template <class T>
void softmax_columns(SoftmaxKind kind, const T* in, T* out, Dtype dtype, SoftmaxColumns shape);
template <class T>
void softmax_columns_backward(SoftmaxKind kind, const T* grad, const T* output, T* out, Dtype dtype, SoftmaxColumns shape);

}  // namespace mt::cpu
