// logical_and: whether both are non-zero.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

// Not with &&, which would be a branch in the loop.
constexpr auto logical_and_of = [](auto a, auto b) {
  using T = decltype(a);
  return bool((a != T(0)) & (b != T(0)));
};

MT_OP(OpDef{
    .schema = {"logical_and(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Tests for each pair of elements whether both are non-zero.

NaN counts as non-zero. The tensors broadcast.

Args:
    self, other (Tensor): any dtype.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.logical_and(torch.tensor([0, 1, 2]), torch.tensor([1, 1, 0]))
    tensor([False,  True, False]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<logical_and_of, 2, dtypes::all>("logical_and_cpu"),
    .npu = {"LogicalAnd"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
