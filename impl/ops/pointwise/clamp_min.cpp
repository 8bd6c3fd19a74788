// clamp_min: limits elements to at least `min`.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/bounds.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto check_bound = [](const Call& c) {
  check(c.args[1].tag == MT_TAG_TENSOR || (!is_complex(Unbox<Tensor>::from(c.args[0]).dtype()) && c.args[1].tag != MT_TAG_COMPLEX),
        ErrorKind::not_implemented, messages::clamp_of_complex);
  check_bounds_fit(c);
  return lower_bound_kernel(c.args[1]);
};

MT_OP(OpDef{
    .schema = {"clamp_min(Tensor self, Scalar min) -> Tensor", "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Limits each element to at least `min`.

NaN in `self` or `min` gives NaN. A tensor bound broadcasts with `self`; dtypes are promoted.
Elements not below `min` pass the gradient on to `self`, the others to a tensor `min`.

Args:
    self (Tensor): any shape; not complex.
    min (number or Tensor): the lower bound.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.clamp_min(torch.tensor([1.0, 5.0]), 3)
    tensor([3., 5.]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(check_bound),
    .npu = {"ClampMinTensor", "ClampMin"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a) { return zero_where_false(op<"ge">(x, a), g); }),
             wrt("min", [](Grad g, In<"self"> x, In<"min"> a) { return zero_where_false(op<"lt">(x, a), g); })},
    .grad_name = "ClampMinBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x,
                                                        In<"min", Scalar> a) { return zero_where_false(op<"ge">(x, *a), g); })},
                                .grad_name = "ClampMinBackward0"})},
});

}  // namespace
}  // namespace mt
