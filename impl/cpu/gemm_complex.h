// Complex matrix products, by BLAS where there is one.
#pragma once

#include "gemm.h"

namespace mt::cpu::detail {

// T: std::complex<float> or std::complex<double>.
template <class T>
void gemm_complex(int64_t m, int64_t n, int64_t k, T alpha, ConstMatrix<T> a, ConstMatrix<T> b, T beta, Matrix<T> c,
                  const Epilogue<T>& epilogue);

}  // namespace mt::cpu::detail
