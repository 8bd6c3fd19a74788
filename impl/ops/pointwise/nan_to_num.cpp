// nan_to_num: replaces NaN and infinities: by 0 and the dtype's largest and smallest numbers unless others are given.
#include "rules/factory/factory.h"
#include "rules/form/in_place.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/pointwise/pointwise_rows.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto replace_nan_and_infinities = [](auto x, auto nan, auto high, auto low) {
  constexpr auto infinity = std::numeric_limits<decltype(x)>::infinity();
  const auto below = x == infinity ? high : x, finite = x == -infinity ? low : below;  // comparisons and selects, no branches
  return isnan_(x) ? nan : finite;
};

double largest_value_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16: return 65504.0;
    case Dtype::bfloat16: return 3.3895313892515355e38;
    case Dtype::float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

MT_OP(OpDef{
    .schema = {"_nan_to_num(Tensor self, Scalar nan, Scalar posinf, Scalar neginf) -> Tensor"},
    .forms = internal | inplace,
    .doc = R"(Replaces NaN and infinities of a real tensor by the given numbers.

It is the kernel of nan_to_num.)",
    .rule = pointwise_with_layout(ResultLayout::of_first),
    .cpu = with_rows<replace_nan_and_infinities, 4, float32_and_float64>(
        elementwise<replace_nan_and_infinities, 4, dtypes::floating>("nan_to_num")),
    .npu = {"NanToNum(self, nan:float, posinf:float, neginf:float)"},
});

MT_OP(OpDef{
    .schema = {"nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Replaces NaN, positive and negative infinity by finite numbers.

Real and imaginary parts of complex numbers are replaced each by itself. Integers stay as they
are. A replacement beyond the dtype's range is an infinity. The gradient is 1 for finite
elements, 0 for replaced ones.

Args:
    self (Tensor): any shape and dtype.
    nan (float, optional): what replaces NaN. Default: ``0``.
    posinf (float, optional): what replaces inf. Default: the dtype's largest number.
    neginf (float, optional): what replaces -inf. Default: the dtype's lowest number.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.nan_to_num(torch.tensor([1.0, float("nan"), float("inf")]), nan=-1.0, posinf=99.0)
    tensor([ 1., -1., 99.]))",
    .cpu = in_place_kernel([](const Tensor& self, std::optional<double> nan, std::optional<double> high,
                              std::optional<double> low) -> Tensor {
      BelowAutograd guard;
      const bool changes = may_modify_in_place(self);
      if (is_integral(self.dtype(), true)) return changes ? self : op<"clone">(self);
      const bool complex = is_complex(self.dtype());
      const Tensor parts = complex ? op<"view_as_real">(op<"resolve_conj">(self)) : self;
      // A replacement beyond the dtype's range becomes infinite.
      auto rounded = [&](double v) { return parts.dtype() == Dtype::float64 ? v : double(float(v)); };
      const double most = largest_value_of(parts.dtype());
      const double with[] = {rounded(nan.value_or(0.0)), rounded(high.value_or(most)), rounded(low.value_or(-most))};
      if (changes) return op<"_nan_to_num_">(parts, with[0], with[1], with[2]), self;
      const Tensor y = op<"_nan_to_num">(parts, with[0], with[1], with[2]);
      return complex ? op<"view_as_complex">(y) : y;
    }),
    .npu = {any_device},
    .meta = [](const Tensor& self, std::optional<double>, std::optional<double>, std::optional<double>) -> Tensor {
      return empty_as(self, self.dtype(), self.device(), std::nullopt);
    },
    .sparse = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"isfinite">(x); })},
    .out_policy = OutPolicy{.dtype_error = "nan_to_num: dtype of out: {1} should be same as input: {0}"},
    .batch = batch_aligned,
});

}  // namespace
}  // namespace mt
