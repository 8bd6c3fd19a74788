// The only interface to matrix products: C = alpha * op(A) * op(B) + beta * C, for any strides and every dtype.
#pragma once

#include <complex>
#include <cstdint>

#include "core/half.h"

namespace mt::cpu {

// A strided matrix; a transpose is the same data with the strides swapped. A stride of 0 repeats a row or column. `conjugate` is ignored
// for real types.
template <class T>
struct ConstMatrix {
  const T* data;
  int64_t row_stride;
  int64_t col_stride;
  bool conjugate = false;
};

// The result; distinct elements must not overlap.
template <class T>
struct Matrix {
  T* data;
  int64_t row_stride;
  int64_t col_stride;
};

enum class Activation : uint8_t { none, relu, gelu, gelu_tanh };

// Applied to the finished sum before it is rounded to a half type T: activation(C + bias).
template <class T>
struct Epilogue {
  const T* row_bias = nullptr;  // m values, added to every column
  int64_t row_bias_stride = 1;
  const T* col_bias = nullptr;  // n values, added to every row: the bias of a linear layer
  int64_t col_bias_stride = 1;
  Activation activation = Activation::none;  // real floating types only
  bool empty() const { return row_bias == nullptr && col_bias == nullptr && activation == Activation::none; }
};

// The type of alpha and beta: float for the half types, otherwise T.
template <class T>
struct GemmScalarOf {
  using type = T;
};
template <>
struct GemmScalarOf<Half> {
  using type = float;
};
template <>
struct GemmScalarOf<BFloat16> {
  using type = float;
};
template <class T>
using GemmScalar = typename GemmScalarOf<T>::type;

// Integers wrap around, so signed and unsigned products have the same bits: unsigned bytes share the code of signed ones.
template <class T>
struct WrappingAs {
  using type = T;
};
template <>
struct WrappingAs<uint8_t> {
  using type = int8_t;
};
template <class T>
using Wrapping = typename WrappingAs<T>::type;
template <class T>
const Wrapping<T>* as_wrapping(const T* p) {
  return reinterpret_cast<const Wrapping<T>*>(p);
}
template <class T>
Wrapping<T>* as_wrapping(T* p) {
  return reinterpret_cast<Wrapping<T>*>(p);
}

// A is m x k, B is k x n, C is m x n. With beta == 0, C is written without being read; k == 0 scales C. Half-type
// products are summed in float and rounded once; integers wrap around. Runs on the pool; the result does not
// depend on the number of threads. T: float, double, std::complex<float|double>, Half, BFloat16, (u)int8_t ...
// (u)int64_t.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, GemmScalar<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, GemmScalar<T> beta, Matrix<T> c,
          const Epilogue<T>& epilogue = {});

// `batch` products; consecutive matrices are the given distances apart (in elements; 0 shares one matrix).
template <class T>
void gemm_batched(int64_t batch, int64_t m, int64_t n, int64_t k, GemmScalar<T> alpha, ConstMatrix<T> a, int64_t a_batch_stride,
                  ConstMatrix<T> b, int64_t b_batch_stride, GemmScalar<T> beta, Matrix<T> c, int64_t c_batch_stride,
                  const Epilogue<T>& epilogue = {});

}  // namespace mt::cpu
