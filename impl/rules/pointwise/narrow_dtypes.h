// Dtypes for which no loops are compiled: operators that support them compute in a wider dtype and round the result.
#pragma once

#include "rules/pointwise/alpha.h"

namespace mt {
namespace dtypes {
inline constexpr Dtypes complex_half{dtype_bit(Dtype::complex32)};
inline constexpr Dtypes signed_float8{dtype_bit(Dtype::float8_e5m2) | dtype_bit(Dtype::float8_e4m3fn) | dtype_bit(Dtype::float8_e5m2fnuz) |
                                      dtype_bit(Dtype::float8_e4m3fnuz)};
inline constexpr Dtypes float8 = signed_float8 | Dtypes{dtype_bit(Dtype::float8_e8m0fnu)};
}  // namespace dtypes

// The dtype whose loops are used for operators that compute in `compute`.
constexpr Dtype loop_dtype_of(Dtype compute) {
  if (compute == Dtype::complex32) return Dtype::complex64;
  return is_half(compute) || is_float8(compute) ? Dtype::float32 : compute;
}

// The tensor itself, or a copy in a wider dtype if its own has no loops.
inline Tensor widen(const Tensor& t) {
  if (t.dtype() != Dtype::complex32 && !is_float8(t.dtype())) return t;
  const Tensor wide = empty_strided(t.sizes(), t.strides(), loop_dtype_of(t.dtype()), t.device());
  copy_into(wide, t);
  return wide;
}

// Whether add needs no product with alpha, since alpha is 1. torch multiplies complex32 even by 1, which spreads NaN from the real to the
// imaginary part and back.
inline bool adds_without_alpha_product(const Call& c) {
  if (!is_one(c.args[2])) return false;
  const auto is_narrow = [](const Value& v) { return v.tag == MT_TAG_TENSOR && Unbox<Tensor>::from(v).dtype() == Dtype::complex32; };
  if (!is_narrow(c.args[0]) && !is_narrow(c.args[1])) return true;
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  return result_type(operands, 2) != Dtype::complex32;
}

}  // namespace mt
