// Products of many small matrices, each done before a larger kernel would be set up.
#pragma once

#include "cpu/gemm/gemm.h"

namespace mt::cpu::detail {

inline constexpr int64_t small_cols = 8, small_rows = 16, small_depth = 16;  // at most

// Arguments as gemm_batched, for float and double. Nothing overlaps `c`.
template <class T>
struct SmallProducts {
  int64_t batch, m, n, k;
  T alpha, beta;
  ConstMatrix<T> a, b;
  Matrix<T> c;
  int64_t a_step, b_step, c_step;  // from one matrix to the next

  // Computes matrices [begin, end).
  void run(int64_t begin, int64_t end) const;
};

}  // namespace mt::cpu::detail
