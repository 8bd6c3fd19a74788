// The bounds of clamp.
#pragma once

#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise_rows.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {

// Checks that bounds that are numbers are representable in the dtype promoted from all arguments, and that `out` has this dtype. Meta
// tensors are not read.
inline void check_bounds_fit(const Call& c) {
  if (c.keys & key_bit(Key::meta)) return;
  Tensor operands[3];
  for (int i = 0; i < 3 && i < c.op.functional->n_args; ++i) operands[i] = detail::tensor_of(c.args[i]);
  const Dtype dtype = result_type(operands, 3);
  for (int i = 1; i < 3 && i < c.op.functional->n_args; ++i) {
    if (!is_number_tag(c.args[i].tag)) continue;
    check(c.op.form != Form::inplace || dtype == operands[0].dtype(), messages::result_type_cannot_be_cast, dtype,
          ScalarName(operands[0].dtype()));
    if (c.op.form == Form::out) {
      const Dtype found = Unbox<Tensor>::from(c.args[c.op.n_args - 1]).dtype();
      check(found == dtype, messages::found_dtype_but_expected, found, dtype);
    }
    Scalar::of_value(c.args[i]).check_fits(dtype);
  }
}

// Clamps x to [low, high]; returns NaN if any operand is NaN. Each comparison compiles to one instruction, which returns x for equal
// operands.
inline constexpr auto clamp_between = [](auto x, auto low, auto high) {
  using T = decltype(x);
  const T raised = low > x ? low : x, held = high < raised ? high : raised;
  if constexpr (std::is_floating_point_v<T>)
    return isnan_(x) | isnan_(low) | isnan_(high) ? (x + low) + high : held;
  else
    return held;
};
// As clamp_between, for bounds that are not NaN.
inline constexpr auto clamp_between_numbers = [](auto x, auto low, auto high) {
  const auto raised = low > x ? low : x;
  return high < raised ? high : raised;
};
// Chooses the kernel that clamps to the bounds in the call's second and third arguments; `Called` is the kernel's name in error messages.
template <Name Called>
const PointwiseKernel* kernel_between(const Call& c) {
  static const auto any = elementwise<clamp_between, 3, dtypes::real>(Called.text),
                    numbers = with_rows<clamp_between_numbers, 3, float32_and_int64>(
                        elementwise<clamp_between_numbers, 3, dtypes::real>(Called.text));
  for (int i : {1, 2})
    if (c.args[i].tag == MT_TAG_TENSOR || isnan_(Scalar::of_value(c.args[i]).to_double())) return &any;
  return &numbers;
}

// Functions for a single bound. For a number that is not NaN, one instruction is enough: it returns x if x and the bound are zeros of
// different sign, as torch does.
inline constexpr auto clamp_min_or_nan = [](auto x, auto low) { return isnan_(x) ? x : x > low ? x : low; };
inline constexpr auto clamp_min_number = [](auto x, auto low) { return low > x ? low : x; };
inline constexpr auto clamp_max_or_nan = [](auto x, auto high) { return isnan_(x) ? x : x < high ? x : high; };
inline constexpr auto clamp_max_number = [](auto x, auto high) { return high < x ? high : x; };
// A kernel for a bound that is a number, which cannot bound bool tensors; a tensor can.
template <auto F>
const PointwiseKernel* number_bound_kernel(const char* name) {
  static const PointwiseKernel kernel = with_rows<F, 2, float32_and_int64>(elementwise<F, 2, dtypes::real>(name));
  return &kernel;
}
inline const PointwiseKernel* lower_bound_kernel(const Value& low) {
  if (low.tag == MT_TAG_TENSOR) return kernel_of<clamp_min_or_nan, 2, dtypes::real | dtypes::boolean>("maximum_cpu");
  return isnan_(Scalar::of_value(low).to_double()) ? kernel_of<clamp_min_or_nan, 2, dtypes::real>("clamp_min_scalar_cpu")
                                                   : number_bound_kernel<clamp_min_number>("clamp_min_scalar_cpu");
}
inline const PointwiseKernel* upper_bound_kernel(const Value& high) {
  if (high.tag == MT_TAG_TENSOR) return kernel_of<clamp_max_or_nan, 2, dtypes::real | dtypes::boolean>("minimum_cpu");
  return isnan_(Scalar::of_value(high).to_double()) ? kernel_of<clamp_max_or_nan, 2, dtypes::real>("clamp_max_scalar_cpu")
                                                    : number_bound_kernel<clamp_max_number>("clamp_max_scalar_cpu");
}

}  // namespace mt
