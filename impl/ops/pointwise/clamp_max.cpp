// clamp_max: elements not above `max`.
#include "rules/algebra.h"
#include "rules/bounds.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto below = [](auto x, auto high) { return isnan_(x) ? x : x < high ? x : high; };
// Of a bound that is no NaN, in one instruction; of two zeros x, as torch does with a number.
constexpr auto lowered = [](auto x, auto high) { return high < x ? high : x; };

// A tensor bounds bool as well, a number does not.
constexpr auto bound = [](const Call& c) {
  check(c.args[1].tag == MT_TAG_TENSOR || (!is_complex(Unbox<Tensor>::from(c.args[0]).dtype()) && c.args[1].tag != MT_TAG_COMPLEX),
        ErrorKind::not_implemented, "clamp is not supported for complex types");
  check_bounds_fit(c);
  if (c.args[1].tag == MT_TAG_TENSOR) return kernel_of<below, 2, dtypes::real | dtypes::boolean>("minimum_cpu");
  return isnan_(Scalar::of_value(c.args[1]).to_double()) ? kernel_of<below, 2, dtypes::real>("clamp_max_scalar_cpu")
                                                         : kernel_of<lowered, 2, dtypes::real>("clamp_max_scalar_cpu");
};

MT_OP(OpDef{
    .schema = {"clamp_max(Tensor self, Scalar max) -> Tensor", "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Elements not above `max`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(bound),
    .npu = {"ClampMaxTensor", "ClampMax"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"max"> b) { return masked(op<"le">(x, b), g); }),
             wrt("max", [](Grad g, In<"self"> x, In<"max"> b) { return masked(op<"gt">(x, b), g); })},
    .grad_name = "ClampMaxBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"max", Scalar> b) { return masked(op<"le">(x, *b), g); })},
                                .grad_name = "ClampMaxBackward0"})},
});

}  // namespace
}  // namespace mt
