// clamp: elements held between `min` and `max`; None leaves a side open.
#include "rules/algebra.h"
#include "rules/bounds.h"

namespace mt {
namespace {

constexpr auto held = [](const Call& c) {
  const Value &low = c.args[1], &high = c.args[2];
  check(low.tag != MT_TAG_NONE || high.tag != MT_TAG_NONE, "torch.clamp: At least one of 'min' or 'max' must not be None");
  check(!is_complex(Unbox<Tensor>::from(c.args[0]).dtype()) && low.tag != MT_TAG_COMPLEX && high.tag != MT_TAG_COMPLEX,
        ErrorKind::not_implemented, "clamp is not supported for complex types");
  check_bounds_fit(c);
  if (high.tag == MT_TAG_NONE) return lower_bound_kernel(low);
  if (low.tag == MT_TAG_NONE) return upper_bound_kernel(high);
  return low.tag == MT_TAG_TENSOR ? kernel_between<"clamp_cpu">(c) : kernel_between<"clamp_scalar_cpu">(c);
};

// Where x lies between the bounds that there are: numbers or tensors.
template <class Bound>
Tensor is_inside(const Tensor& x, const Bound* low, const Bound* high) {
  if (!high) return op<"ge">(x, *low);
  if (!low) return op<"le">(x, *high);
  const Tensor is_above = op<"ge">(x, *low), is_below = op<"le">(x, *high);
  return op<"logical_and">(is_above, is_below);
}
const Tensor* given(const Tensor& bound) { return bound.defined() ? &bound : nullptr; }
template <class T>
const T* given(const std::optional<T>& bound) {
  return bound ? &*bound : nullptr;
}

MT_OP(OpDef{
    .schema = {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
               "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Elements held between `min` and `max`; None leaves a side open.",
    .aliases = "clip",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(held),
    .npu = {"ClampTensor"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) { return masked(is_inside(x, given(a), given(b)), g); }),
             wrt("min",
                 [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) {
                   const Tensor is_below = op<"lt">(x, a);
                   return masked(b.defined() ? op<"logical_and">(op<"lt">(a, b), is_below) : is_below, g);
                 }),
             wrt("max",
                 [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) {
                   const Tensor is_above = op<"gt">(x, b);
                   return masked(a.defined() ? op<"logical_or">(is_above, op<"lt">(b, a)) : is_above, g);
                 })},
    .grad_name = "ClampBackward0",
    .overloads = {overload(
        "", {.npu = {"Clamp"},
             .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min", std::optional<Scalar>> a,
                                     In<"max", std::optional<Scalar>> b) { return masked(is_inside(x, given(*a), given(*b)), g); })},
             .grad_name = "ClampBackward1"})},
});

}  // namespace
}  // namespace mt
