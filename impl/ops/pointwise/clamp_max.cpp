// clamp_max: limits elements to at most `max`.
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
  return upper_bound_kernel(c.args[1]);
};

MT_OP(OpDef{
    .schema = {"clamp_max(Tensor self, Scalar max) -> Tensor", "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Limits each element to at most `max`.

NaN in `self` or `max` gives NaN. A tensor bound broadcasts with `self`; dtypes are promoted.
Elements not above `max` pass the gradient on to `self`, the others to a tensor `max`.

Args:
    self (Tensor): any shape; not complex.
    max (number or Tensor): the upper bound.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.clamp_max(torch.tensor([1.0, 5.0]), 3)
    tensor([1., 3.]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(check_bound),
    .npu = {"ClampMaxTensor", "ClampMax"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"max"> b) { return zero_where_false(op<"le">(x, b), g); }),
             wrt("max", [](Grad g, In<"self"> x, In<"max"> b) { return zero_where_false(op<"gt">(x, b), g); })},
    .grad_name = "ClampMaxBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x,
                                                        In<"max", Scalar> b) { return zero_where_false(op<"le">(x, *b), g); })},
                                .grad_name = "ClampMaxBackward0"})},
});

}  // namespace
}  // namespace mt
