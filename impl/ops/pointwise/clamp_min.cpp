// clamp_min: elements not below `min`.
#include "rules/algebra.h"
#include "rules/bounds.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto above = [](auto x, auto low) { return isnan_(x) ? x : x > low ? x : low; };
// Of a bound that is no NaN, in one instruction; of two zeros x, as torch does with a number.
constexpr auto raised = [](auto x, auto low) { return low > x ? low : x; };

// A tensor bounds bool as well, a number does not.
constexpr auto bound = [](const Call& c) {
  check(c.args[1].tag == MT_TAG_TENSOR || (!is_complex(Unbox<Tensor>::from(c.args[0]).dtype()) && c.args[1].tag != MT_TAG_COMPLEX),
        ErrorKind::not_implemented, "clamp is not supported for complex types");
  check_bounds_fit(c);
  if (c.args[1].tag == MT_TAG_TENSOR) return kernel_of<above, 2, dtypes::real | dtypes::boolean>("maximum_cpu");
  return isnan_(Scalar::of_value(c.args[1]).to_double()) ? kernel_of<above, 2, dtypes::real>("clamp_min_scalar_cpu")
                                                         : kernel_of<raised, 2, dtypes::real>("clamp_min_scalar_cpu");
};

MT_OP(OpDef{
    .schema = {"clamp_min(Tensor self, Scalar min) -> Tensor", "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Elements not below `min`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(bound),
    .npu = {"ClampMinTensor", "ClampMin"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a) { return masked(op<"ge">(x, a), g); }),
             wrt("min", [](Grad g, In<"self"> x, In<"min"> a) { return masked(op<"lt">(x, a), g); })},
    .grad_name = "ClampMinBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"min", Scalar> a) { return masked(op<"ge">(x, *a), g); })},
                                .grad_name = "ClampMinBackward0"})},
});

}  // namespace
}  // namespace mt
