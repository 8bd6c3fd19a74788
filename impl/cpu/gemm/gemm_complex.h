// Complex matrix products, as real ones of twice the size.
#pragma once

#include "cpu/gemm/gemm.h"

namespace mt::cpu::detail {

// T: std::complex<float> or std::complex<double>.
template <class T>
void gemm_complex(int64_t m, int64_t n, int64_t k, T alpha, ConstMatrix<T> a, ConstMatrix<T> b, T beta, Matrix<T> c,
                  const Epilogue<T>& epilogue);

// A batch of products with so few elements that any setup would cost more; matrices are `step` elements apart.
constexpr bool is_small_complex(int64_t m, int64_t n, int64_t k) { return m * n * k <= 128 && k > 0; }
template <class T>
void gemm_complex_small(int64_t batch, int64_t m, int64_t n, int64_t k, T alpha, ConstMatrix<T> a, int64_t a_step, ConstMatrix<T> b,
                        int64_t b_step, T beta, Matrix<T> c, int64_t c_step);

}  // namespace mt::cpu::detail
