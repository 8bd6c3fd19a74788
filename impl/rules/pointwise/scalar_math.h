// Scalar functions for kernels: float and double from vecmath, which vectorises, complex from the standard library.
#pragma once

#include <cmath>
#include <complex>

#include "core/complex.h"
#include "core/dispatch_dtype.h"
#include "cpu/math/vecmath.h"

namespace mt {

template <class T>
std::complex<T> to_std(Complex<T> v) {
  return {v.re, v.im};
}
template <class T>
Complex<T> from_std(std::complex<T> v) {
  return {v.real(), v.imag()};
}

// Forced inlining: GCC's flatten attribute does not inline the longer ones, and a loop with a call stays scalar.
#define MT_FORCED [[gnu::always_inline]] inline
// Selects by bits: with ?: the compiler may move the computation of one value into a branch, which prevents vectorisation.
template <class T>
MT_FORCED T select_(bool condition, T yes, T no) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const Bits mask = Bits(0) - Bits(condition);
  return std::bit_cast<T>(Bits((std::bit_cast<Bits>(yes) & mask) | (std::bit_cast<Bits>(no) & ~mask)));
}
#define MT_REAL_AND_COMPLEX(name, function, space)               \
  MT_FORCED float name(float x) { return space::function(x); }   \
  MT_FORCED double name(double x) { return space::function(x); } \
  template <class T>                                             \
  Complex<T> name(Complex<T> x) {                                \
    return from_std(std::function(to_std(x)));                   \
  }
MT_REAL_AND_COMPLEX(exp_, exp, cpu::vec)
MT_REAL_AND_COMPLEX(log_, log, cpu::vec)
MT_REAL_AND_COMPLEX(log10_, log10, cpu::vec)
MT_REAL_AND_COMPLEX(sin_, sin, cpu::vec)
MT_REAL_AND_COMPLEX(cos_, cos, cpu::vec)
MT_REAL_AND_COMPLEX(tan_, tan, cpu::vec)
MT_REAL_AND_COMPLEX(sinh_, sinh, std)
MT_REAL_AND_COMPLEX(cosh_, cosh, std)
MT_REAL_AND_COMPLEX(tanh_, tanh, cpu::vec)
MT_REAL_AND_COMPLEX(asin_, asin, std)
MT_REAL_AND_COMPLEX(acos_, acos, std)
MT_REAL_AND_COMPLEX(atan_, atan, std)
MT_REAL_AND_COMPLEX(asinh_, asinh, std)
MT_REAL_AND_COMPLEX(acosh_, acosh, std)
MT_REAL_AND_COMPLEX(atanh_, atanh, std)
MT_REAL_AND_COMPLEX(sqrt_, sqrt, std)
#undef MT_REAL_AND_COMPLEX

#define MT_REAL(name, function, space)                         \
  MT_FORCED float name(float x) { return space::function(x); } \
  MT_FORCED double name(double x) { return space::function(x); }
MT_REAL(expm1_, expm1, cpu::vec)
MT_REAL(log1p_, log1p, cpu::vec)
MT_REAL(log2_, log2, cpu::vec)
MT_REAL(exp2_, exp2, cpu::vec)
MT_REAL(erf_, erf, cpu::vec)
MT_REAL(normal_cdf_, normal_cdf, cpu::vec)
MT_REAL(erfc_, erfc, cpu::vec)
MT_REAL(lgamma_, lgamma, std)
#undef MT_REAL
template <class T>
Complex<T> log2_(Complex<T> x) {
  Complex<T> l = log_(x);
  return {l.re / T(0.6931471805599453), l.im / T(0.6931471805599453)};
}
template <class T>
Complex<T> exp2_(Complex<T> x) {
  return exp_(Complex<T>(x.re * T(0.6931471805599453), x.im * T(0.6931471805599453)));
}
// exp(x) - 1 without cancellation in the real part (W. Kahan's identity).
template <class T>
Complex<T> expm1_(Complex<T> x) {
  T s = std::sin(x.im / 2);
  T e = std::exp(x.re);
  return {std::expm1(x.re) * std::cos(x.im) - 2 * s * s, e * std::sin(x.im)};
}
template <class T>
Complex<T> log1p_(Complex<T> x) {
  Complex<T> u = x + Complex<T>(1);
  if (u == Complex<T>(1)) return x;
  T re = x.re, im = x.im;
  T r = T(0.5) * std::log1p(re * (re + 2) + im * im);
  return {std::abs(re) < T(0.5) && std::abs(im) < T(0.5) ? r : std::log(std::hypot(u.re, u.im)), std::atan2(u.im, u.re)};
}
template <class T>
T abs_(T x) {
  if constexpr (std::is_unsigned_v<T>)
    return x;
  else
    return x < 0 ? T(-x) : x;
}
inline float abs_(float x) { return __builtin_fabsf(x); }
inline double abs_(double x) { return __builtin_fabs(x); }
template <class T>
T abs_(Complex<T> x) {
  return std::hypot(x.re, x.im);
}
template <class T>
MT_FORCED T pow_(T base, T exponent) {
  if constexpr (is_complex_type<T>) {
    if (exponent == T(0)) return T(1);
    return from_std(std::pow(to_std(base), to_std(exponent)));
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      if (exponent < 0) return base == 1 ? T(1) : base == T(-1) ? T(exponent % 2 ? -1 : 1) : T(0);
    // Computes in unsigned arithmetic, which wraps on overflow as products of machine integers do.
    using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
    U result = 1, b = U(base);
    for (U e = U(exponent); e; e >>= 1) {
      if (e & 1) result = U(result * b);
      b = U(b * b);
    }
    return T(result);
  } else {
    return cpu::vec::pow(base, exponent);
  }
}
template <class T>
bool isnan_(T x) {
  if constexpr (is_complex_type<T>)
    return x.re != x.re || x.im != x.im;
  else if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}

#undef MT_FORCED

}  // namespace mt
