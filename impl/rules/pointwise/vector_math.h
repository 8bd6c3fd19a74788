// Scalar functions for kernels that vectorise: real ones from cpu/math/vecmath_more.h, complex ones as in scalar_math.h.
#pragma once

#include "cpu/math/vecmath_more.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {

#define MT_VECTOR(name)                                \
  template <class T>                                   \
  [[gnu::always_inline]] inline T vector_##name(T x) { \
    if constexpr (is_complex_type<T>)                  \
      return name##_(x);                               \
    else                                               \
      return cpu::vec::name(x);                        \
  }
MT_VECTOR(acos)
MT_VECTOR(acosh)
MT_VECTOR(asin)
MT_VECTOR(asinh)
MT_VECTOR(atan)
MT_VECTOR(atanh)
MT_VECTOR(cosh)
MT_VECTOR(sinh)
#undef MT_VECTOR

}  // namespace mt
