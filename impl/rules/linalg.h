// The linear algebra family: batches of matrices to LAPACK's column-major arrays and back.
#pragma once

#include <complex>
#include <vector>

#include "core/dispatch_dtype.h"
#include "cpu/lapack.h"
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

// torch's texts for what is not a batch of square matrices of a floating dtype. `name` as in "linalg.cholesky".
inline void check_matrix(const char* name, const Tensor& a) {
  check(a.dim() >= 2, "{}: The input tensor A must have at least 2 dimensions.", name);
}
inline void check_square(const char* name, const Tensor& a) {
  check_matrix(name, a);
  check(a.size(-1) == a.size(-2), "{}: A must be batches of square matrices, but they are {} by {} matrices", name, a.size(-2), a.size(-1));
}
inline void check_linalg_dtype(const char* name, const Tensor& a) {
  check(is_differentiable(a.dtype()), "{}: Expected a floating point or complex tensor as input. Got {}", name, a.dtype());
  check(!is_half(a.dtype()), "{}: Low precision dtypes not supported. Got {}", name, a.dtype());
}
// Strides with matrices stored by columns, batches contiguous.
inline Dims column_major(IntList sizes) {
  Dims strides = contiguous_strides(sizes);
  const int64_t n = sizes.size();
  strides[n - 2] = 1;
  strides[n - 1] = sizes[n - 2] > 1 ? sizes[n - 2] : 1;
  return strides;
}
inline Tensor column_major_copy(const Tensor& t, IntList sizes) {
  Tensor out = empty_strided(sizes, column_major(sizes), t.dtype());
  BelowAutograd guard;
  copy_into(out, op<"expand">(op<"resolve_conj">(t), sizes));
  return out;
}
// LAPACK's element type for ours.
template <class T>
struct LapackType {
  using type = T;
};
template <class T>
struct LapackType<Complex<T>> {
  using type = std::complex<T>;
};
// Calls f with float, double or their std::complex.
template <class F>
void dispatch_lapack(Dtype dtype, const char* name, F&& f) {
  switch (dtype) {
    case Dtype::float32: return f(Type<float>());
    case Dtype::float64: return f(Type<double>());
    case Dtype::complex64: return f(Type<std::complex<float>>());
    case Dtype::complex128: return f(Type<std::complex<double>>());
    default: not_implemented_for(name, dtype);
  }
}
inline Tensor adjoint(const Tensor& t) { return conj(op<"transpose">(t, -2, -1)); }

}  // namespace mt
