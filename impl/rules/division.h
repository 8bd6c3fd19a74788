// Integer division and remainders with Python's and C's signs.
#pragma once

#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {

// Rounded towards zero.
template <class T>
T divide_trunc(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;  // refused before
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return T(0 - std::make_unsigned_t<T>(a));  // the smallest number has no negative
    return a / b;
  } else {
    return std::trunc(a / b);
  }
}
// The remainder with the divisor's sign, as Python's %.
template <class T>
T remainder_floor(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    T r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? T(r + b) : r;
  } else {
    T r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
}
// The remainder with the dividend's sign, as C's fmod.
template <class T>
T fmod_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    return T(a % b);
  } else {
    return std::fmod(a, b);
  }
}
// Rounded down, as Python's //.
template <class T>
T divide_floor(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    T q = divide_trunc(a, b);
    if constexpr (std::is_signed_v<T>)
      if (b != T(-1) && a % b != 0 && (a < 0) != (b < 0)) return T(q - 1);
    return q;
  } else {
    if (b == 0) return a / b;
    T mod = std::fmod(a, b), div = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
    if (div == 0) return std::copysign(T(0), a / b);
    T floored = std::floor(div);
    return div - floored > T(0.5) ? floored + 1 : floored;
  }
}
// The same between elements of half precision, which torch rounds after each step; a divisor that is one number for all
// is divided by in float instead.
template <class Half>
float rounded(float x) {
  return float(Half(x));
}
template <class Half>
float divide_trunc_rounded(float a, float b) {
  return std::trunc(rounded<Half>(a / b));
}
template <class Half>
float divide_floor_rounded(float a, float b) {
  if (b == 0) return a / b;
  const float rest = std::fmod(a, b);
  float div = rounded<Half>(rounded<Half>(a - rest) / b);
  if (rest != 0 && (b < 0) != (rest < 0)) div = rounded<Half>(div - 1);
  if (div == 0) return std::copysign(0.0f, a / b);
  const float floored = std::floor(div);
  return rounded<Half>(div - floored) > 0.5f ? rounded<Half>(floored + 1) : floored;
}
// The kernels of a call's two operands.
const PointwiseKernel* floor_division_kernel(const Tensor* operands);
const PointwiseKernel* trunc_division_kernel(const Tensor* operands);
const PointwiseKernel* remainder_kernel();
const PointwiseKernel* fmod_kernel();

// Integer division by zero is an error; torch finds it in the kernel.
inline void check_integer_divisor(const Tensor* operands, int n) {
  if (!is_integral(result_type(operands, n), true) || operands[1].is_meta()) return;
  const Tensor zero = op<"eq">(operands[1], 0);
  check(!*op<"any">(zero).data<bool>(), "ZeroDivisionError");
}

}  // namespace mt
