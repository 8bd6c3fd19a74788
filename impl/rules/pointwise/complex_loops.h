// Vectorised loops over complex functions: quotients without branches, and functions of exponentials.
#pragma once

#include <cmath>

#include "cpu/clones.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {

// a / b with the same steps as operator/, but computes both of its branches.
template <class T>
MT_INLINE Complex<T> divide_branch_free(Complex<T> a, Complex<T> b) {
  const T br = b.re < 0 ? -b.re : b.re, bi = b.im < 0 ? -b.im : b.im;
  const bool flat = br >= bi, none = (br == 0) & (bi == 0);
  const T high = flat ? b.re : b.im, low = flat ? b.im : b.re, p = flat ? a.re : a.im, q = flat ? a.im : a.re;
  const T ratio = low / high, scale = T(1) / select_(none, br, high + low * ratio);
  const T re = (p + q * ratio) * scale, im = (flat ? q - p * ratio : p * ratio - q) * scale;
  return {none ? a.re * scale : re, none ? a.im * std::copysign(T(__builtin_inf()), bi) : im};
}

// y[i] = exp(sign * x[i]), components within 2 ULP: in vectors where nothing overflows or underflows, otherwise by the C library.
void complex_exponentials(const Complex<float>* x, Complex<float>* y, int64_t n, float sign);
void complex_exponentials(const Complex<double>* x, Complex<double>* y, int64_t n, double sign);

namespace detail {

template <auto F, int sign, class T>
void loop_of_exponentials(void* out, const void* const* in, int64_t n) {
  constexpr int64_t block = 256;
  Complex<T> powers[block];
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t count = begin + block < n ? block : n - begin;
    const Complex<T>* const x = static_cast<const Complex<T>*>(in[0]) + begin;
    complex_exponentials(x, powers, count, T(sign));
    const void* const operands[] = {x, powers};
    pointwise_avx2<F, Complex<T>, Complex<T>, 0, 1>(static_cast<Complex<T>*>(out) + begin, operands, count);
  }
}

}  // namespace detail

// A kernel with loops over complex numbers x that compute F(x, exp(sign * x)).
template <auto F, int sign>
PointwiseKernel add_complex_exp_loops(PointwiseKernel k) {
  for (int level : {1, 2}) {
    k.loops[loop_slot_of(Dtype::complex64)][level] = detail::loop_of_exponentials<F, sign, float>;
    k.loops[loop_slot_of(Dtype::complex128)][level] = detail::loop_of_exponentials<F, sign, double>;
  }
  return k;
}

}  // namespace mt
