// The numbers between which clamp holds elements.
#pragma once

#include "rules/algebra.h"
#include "rules/pointwise_rows.h"
#include "rules/scalar_math.h"

namespace mt {

// Bounds take part in promotion, and must be numbers of the promoted dtype as well, which `out` must have too. A meta tensor reads none.
inline void check_bounds_fit(const Call& c) {
  if (c.keys & key_bit(Key::meta)) return;
  Tensor operands[3];
  for (int i = 0; i < 3 && i < c.op.functional->n_args; ++i) operands[i] = detail::tensor_of(c.args[i]);
  const Dtype dtype = result_type(operands, 3);
  for (int i = 1; i < 3 && i < c.op.functional->n_args; ++i) {
    if (!number_tag(c.args[i].tag)) continue;
    check(c.op.form != Form::inplace || dtype == operands[0].dtype(), "result type {} can't be cast to the desired output type {}", dtype,
          ScalarName(operands[0].dtype()));
    if (c.op.form == Form::out) {
      const Dtype found = Unbox<Tensor>::from(c.args[c.op.n_args - 1]).dtype();
      check(found == dtype, "Found dtype {} but expected {}", found, dtype);
    }
    Scalar::of_value(c.args[i]).check_fits(dtype);
  }
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
                    numbers = with_rows<between_numbers, 3, float32_and_int64>(elementwise<between_numbers, 3, dtypes::real>(Called.text));
  for (int i : {1, 2})
    if (c.args[i].tag == MT_TAG_TENSOR || isnan_(Scalar::of_value(c.args[i]).to_double())) return &any;
  return &numbers;
}

// One bound alone. Of a number that is no NaN in one instruction; of two zeros x, as torch does with a number.
inline constexpr auto above = [](auto x, auto low) { return isnan_(x) ? x : x > low ? x : low; };
inline constexpr auto raised = [](auto x, auto low) { return low > x ? low : x; };
inline constexpr auto below = [](auto x, auto high) { return isnan_(x) ? x : x < high ? x : high; };
inline constexpr auto lowered = [](auto x, auto high) { return high < x ? high : x; };
// A tensor bounds bool as well, a number does not.
template <auto F>
const PointwiseKernel* bound_by_number(const char* name) {
  static const PointwiseKernel kernel = with_rows<F, 2, float32_and_int64>(elementwise<F, 2, dtypes::real>(name));
  return &kernel;
}
inline const PointwiseKernel* lower_bound_kernel(const Value& low) {
  if (low.tag == MT_TAG_TENSOR) return kernel_of<above, 2, dtypes::real | dtypes::boolean>("maximum_cpu");
  return isnan_(Scalar::of_value(low).to_double()) ? kernel_of<above, 2, dtypes::real>("clamp_min_scalar_cpu")
                                                   : bound_by_number<raised>("clamp_min_scalar_cpu");
}
inline const PointwiseKernel* upper_bound_kernel(const Value& high) {
  if (high.tag == MT_TAG_TENSOR) return kernel_of<below, 2, dtypes::real | dtypes::boolean>("minimum_cpu");
  return isnan_(Scalar::of_value(high).to_double()) ? kernel_of<below, 2, dtypes::real>("clamp_max_scalar_cpu")
                                                    : bound_by_number<lowered>("clamp_max_scalar_cpu");
}

}  // namespace mt
