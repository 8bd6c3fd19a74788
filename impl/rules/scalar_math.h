// Functions of one number for kernels: float and double by the vectorisable versions, complex by the standard library.
#pragma once

#include <cmath>
#include <complex>

#include "core/complex.h"
#include "core/dispatch_dtype.h"

namespace mt {

template <class T>
std::complex<T> to_std(Complex<T> v) {
  return {v.re, v.im};
}
template <class T>
Complex<T> from_std(std::complex<T> v) {
  return {v.real(), v.imag()};
}

#define MT_REAL_AND_COMPLEX(name, function)                          \
  inline float name(float x) { return std::function(x); }            \
  inline double name(double x) { return std::function(x); }          \
  template <class T>                                                 \
  Complex<T> name(Complex<T> x) {                                    \
    return from_std(std::function(to_std(x)));                       \
  }
MT_REAL_AND_COMPLEX(exp_, exp)
MT_REAL_AND_COMPLEX(log_, log)
MT_REAL_AND_COMPLEX(log10_, log10)
MT_REAL_AND_COMPLEX(sin_, sin)
MT_REAL_AND_COMPLEX(cos_, cos)
MT_REAL_AND_COMPLEX(tan_, tan)
MT_REAL_AND_COMPLEX(sinh_, sinh)
MT_REAL_AND_COMPLEX(cosh_, cosh)
MT_REAL_AND_COMPLEX(tanh_, tanh)
MT_REAL_AND_COMPLEX(asin_, asin)
MT_REAL_AND_COMPLEX(acos_, acos)
MT_REAL_AND_COMPLEX(atan_, atan)
MT_REAL_AND_COMPLEX(asinh_, asinh)
MT_REAL_AND_COMPLEX(acosh_, acosh)
MT_REAL_AND_COMPLEX(atanh_, atanh)
MT_REAL_AND_COMPLEX(sqrt_, sqrt)
#undef MT_REAL_AND_COMPLEX

#define MT_REAL(name, function)                             \
  inline float name(float x) { return std::function(x); }   \
  inline double name(double x) { return std::function(x); }
MT_REAL(expm1_, expm1)
MT_REAL(log1p_, log1p)
MT_REAL(log2_, log2)
MT_REAL(exp2_, exp2)
MT_REAL(erf_, erf)
MT_REAL(erfc_, erfc)
MT_REAL(lgamma_, lgamma)
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
T pow_(T base, T exponent) {
  if constexpr (is_complex_type<T>) {
    if (exponent == T(0)) return T(1);
    return from_std(std::pow(to_std(base), to_std(exponent)));
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      if (exponent < 0) return base == 1 ? T(1) : base == T(-1) ? T(exponent % 2 ? -1 : 1) : T(0);
    // Wraps on overflow, as the product of machine integers does.
    using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
    U result = 1, b = U(base);
    for (U e = U(exponent); e; e >>= 1) {
      if (e & 1) result = U(result * b);
      b = U(b * b);
    }
    return T(result);
  } else {
    return std::pow(base, exponent);
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

}  // namespace mt
