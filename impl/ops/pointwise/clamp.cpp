// clamp: elements held between bounds.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto between = [](auto x, auto low, auto high) { return isnan_(x) ? x : isnan_(low) ? low : isnan_(high) ? high : (x < low ? low : x) < high ? (x < low ? low : x) : high; };
constexpr auto above = [](auto x, auto low) { return isnan_(x) ? x : isnan_(low) ? low : x < low ? low : x; };
constexpr auto below = [](auto x, auto high) { return isnan_(x) ? x : isnan_(high) ? high : x > high ? high : x; };
constexpr auto three = [](const Call&) { return kernel_of<between, 3, dtypes::real>("clamp_scalar_kernel_impl"); };

MT_OP(OpDef{
    .schema = {"_clamp_both.Tensor(Tensor self, Tensor min, Tensor max) -> Tensor",
               "_clamp_both.Scalar(Tensor self, Scalar min, Scalar max) -> Tensor"},
    .forms = function,
    .doc = "Elements held between `min` and `max`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(three),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) { return masked(op<"logical_and">(op<"ge">(x, a), op<"le">(x, b)), g); }),
             wrt("min", [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) { return masked(op<"logical_and">(op<"lt">(x, a), op<"lt">(a, b)), g); }),
             wrt("max", [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) { return masked(op<"logical_or">(op<"gt">(x, b), op<"lt">(b, a)), g); })},
    .grad_name = "ClampBackward0",
    .overloads = {overload("Scalar", {.grad_name = "ClampBackward1"})},
});
MT_OP(OpDef{
    .schema = {"clamp_min(Tensor self, Scalar min) -> Tensor", "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "Elements not below `min`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<above, 2, dtypes::real>("clamp_min_scalar_kernel_impl"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a) { return masked(op<"ge">(x, a), g); }),
             wrt("min", [](Grad g, In<"self"> x, In<"min"> a) { return masked(op<"lt">(x, a), g); })},
    .grad_name = "ClampMinBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"min", Scalar> a) { return masked(op<"ge">(x, *a), g); })},
                                .grad_name = "ClampMinBackward0"})},
});
MT_OP(OpDef{
    .schema = {"clamp_max(Tensor self, Scalar max) -> Tensor", "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "Elements not above `max`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<below, 2, dtypes::real>("clamp_max_scalar_kernel_impl"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"max"> b) { return masked(op<"le">(x, b), g); }),
             wrt("max", [](Grad g, In<"self"> x, In<"max"> b) { return masked(op<"gt">(x, b), g); })},
    .grad_name = "ClampMaxBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"max", Scalar> b) { return masked(op<"le">(x, *b), g); })},
                                .grad_name = "ClampMaxBackward0"})},
});

constexpr auto clamped = [](const Tensor& self, const Value& low, const Value& high) -> Tensor {
  const bool has_low = low.tag != MT_TAG_NONE, has_high = high.tag != MT_TAG_NONE;
  check(has_low || has_high, "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!has_high) return op<"clamp_min">(self, low);
  if (!has_low) return op<"clamp_max">(self, high);
  return op<"_clamp_both">(self, low, high);
};
MT_OP(OpDef{
    .schema = {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
               "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "Elements held between `min` and `max`; None leaves a side open.",
    .aliases = "clip",
    .composite = clamped,
});

}  // namespace
}  // namespace mt
