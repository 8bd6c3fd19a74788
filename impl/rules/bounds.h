// The numbers between which clamp holds elements.
#pragma once

#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {

// Bounds take part in promotion, and must be numbers of the promoted dtype as well. A meta tensor reads none.
inline void check_bounds_fit(const Call& c) {
  if (c.keys & key_bit(Key::meta)) return;
  Tensor operands[3];
  int n = 0;
  for (; n < 3 && n < c.op.functional->n_args; ++n) operands[n] = detail::tensor_of(c.args[n]);
  const Dtype dtype = result_type(operands, n);
  const Tensor& self = operands[0];
  bool have_number = false;
  for (int i = 1; i < n; ++i) have_number |= c.args[i].tag != MT_TAG_TENSOR;
  check(!have_number || c.op.form != Form::inplace || dtype == self.dtype(),
        "result type {} can't be cast to the desired output type {}", dtype, ScalarName(self.dtype()));
  for (int i = 1; i < n; ++i)
    if (c.args[i].tag != MT_TAG_TENSOR) Scalar::of_value(c.args[i]).check_fits(dtype);
}

// A NaN in any of the three is the result; each comparison is one instruction, which gives x where it is equal.
inline constexpr auto between = [](auto x, auto low, auto high) {
  using T = decltype(x);
  const T raised = low > x ? low : x, held = high < raised ? high : raised;
  if constexpr (std::is_floating_point_v<T>)
    return isnan_(x) | isnan_(low) | isnan_(high) ? (x + low) + high : held;
  else
    return held;
};
// The same for bounds that are no NaN.
inline constexpr auto between_numbers = [](auto x, auto low, auto high) {
  const auto raised = low > x ? low : x;
  return high < raised ? high : raised;
};
// The kernel for the call's second and third argument as bounds; `Called` is its name in errors.
template <Name Called>
const PointwiseKernel* kernel_between(const Call& c) {
  static const auto any = elementwise<between, 3, dtypes::real>(Called.text),
                    numbers = elementwise<between_numbers, 3, dtypes::real>(Called.text);
  for (int i : {1, 2})
    if (c.args[i].tag == MT_TAG_TENSOR || isnan_(Scalar::of_value(c.args[i]).to_double())) return &any;
  return &numbers;
}

}  // namespace mt
