// A sparse matrix times a dense one: each row of the result is a sum of rows of the dense matrix.
#pragma once

#include <complex>
#include <cstdint>

namespace mt::cpu {

// T is float, double, std::complex of them, or a signed or unsigned integer that torch computes with.
template <class T>
struct SparseProduct {
  // Row i of the sparse matrix has the elements starts[i] to starts[i + 1], each a value and a column.
  const int64_t *starts, *columns;
  const T* values;
  // Rows of `width` contiguous elements: those of the dense matrix are `dense_step` elements apart, those of `out` `out_step`.
  const T* dense;
  int64_t dense_step;
  T* out;
  int64_t out_step;
  int64_t width;
  T beta, alpha;  // out = beta * out + alpha * product; out is not read if beta is 0
};
// The order of additions in a row depends on its elements alone, so any number of threads returns the same bits.
template <class T>
void sparse_product(const SparseProduct<T>& product, int64_t rows);

}  // namespace mt::cpu
