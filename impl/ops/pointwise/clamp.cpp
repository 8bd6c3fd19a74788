// clamp: limits elements to [`min`, `max`]; None leaves a side open.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/bounds.h"

namespace mt {
namespace {

constexpr auto choose_clamp = [](const Call& c) {
  const Value &low = c.args[1], &high = c.args[2];
  check(low.tag != MT_TAG_NONE || high.tag != MT_TAG_NONE, "torch.clamp: At least one of 'min' or 'max' must not be None");
  check(!is_complex(Unbox<Tensor>::from(c.args[0]).dtype()) && low.tag != MT_TAG_COMPLEX && high.tag != MT_TAG_COMPLEX,
        ErrorKind::not_implemented, messages::clamp_of_complex);
  check_bounds_fit(c);
  if (high.tag == MT_TAG_NONE) return lower_bound_kernel(low);
  if (low.tag == MT_TAG_NONE) return upper_bound_kernel(high);
  return low.tag == MT_TAG_TENSOR ? kernel_between<"clamp_cpu">(c) : kernel_between<"clamp_scalar_cpu">(c);
};

// Whether x is between the given bounds, which are numbers or tensors.
template <class Bound>
Tensor is_inside(const Tensor& x, const Bound* low, const Bound* high) {
  if (!high) return op<"ge">(x, *low);
  if (!low) return op<"le">(x, *high);
  const Tensor is_above = op<"ge">(x, *low), is_below = op<"le">(x, *high);
  return op<"logical_and">(is_above, is_below);
}
const Tensor* pointer_or_null(const Tensor& bound) { return bound.defined() ? &bound : nullptr; }
template <class T>
const T* pointer_or_null(const std::optional<T>& bound) {
  return bound ? &*bound : nullptr;
}

MT_OP(OpDef{
    .schema = {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
               "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Limits each element to the range from `min` to `max`: min(max(x, `min`), `max`).

None leaves a side open; at least one bound has to be given. Where `min` is above `max` the
result is `max`. NaN in `self` or in a bound gives NaN. Bounds are both numbers or both tensors,
which broadcast with `self`; dtypes are promoted. Complex tensors are refused. Elements within
the bounds, the bounds themselves included, pass the gradient on to `self`; elsewhere it goes to
the tensor bound that was taken, and to `self` goes 0.

Args:
    self (Tensor): any shape; not complex.
    min (number or Tensor, optional): lower bound. Default: ``None``.
    max (number or Tensor, optional): upper bound. Default: ``None``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when both bounds are None.

Example:
    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), min=-1.0, max=1.0)
    tensor([-1.0000,  0.5000,  1.0000])
    >>> torch.clamp(torch.tensor([1.0, 2.0]), max=torch.tensor([0.5, 5.0]))
    tensor([0.5000, 2.0000]))",
    .aliases = "clip",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(choose_clamp),
    .npu = {"ClampTensor"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a,
                            In<"max"> b) { return zero_where_false(is_inside(x, pointer_or_null(a), pointer_or_null(b)), g); }),
             wrt("min",
                 [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) {
                   const Tensor is_below = op<"lt">(x, a);
                   return zero_where_false(b.defined() ? op<"logical_and">(op<"lt">(a, b), is_below) : is_below, g);
                 }),
             wrt("max",
                 [](Grad g, In<"self"> x, In<"min"> a, In<"max"> b) {
                   const Tensor is_above = op<"gt">(x, b);
                   return zero_where_false(a.defined() ? op<"logical_or">(is_above, op<"lt">(b, a)) : is_above, g);
                 })},
    .grad_name = "ClampBackward0",
    .overloads = {overload("",
                           {.npu = {"Clamp"},
                            .grad = {wrt("self",
                                         [](Grad g, In<"self"> x, In<"min", std::optional<Scalar>> a, In<"max", std::optional<Scalar>> b) {
                                           return zero_where_false(is_inside(x, pointer_or_null(*a), pointer_or_null(*b)), g);
                                         })},
                            .grad_name = "ClampBackward1"})},
});

}  // namespace
}  // namespace mt
