// logical_or: whether either is non-zero.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto logical_or_of = [](auto a, auto b) {
  using T = decltype(a);
  return bool((a != T(0)) | (b != T(0)));
};

MT_OP(OpDef{
    .schema = {"logical_or(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Tests for each pair of elements whether at least one is non-zero.

NaN counts as non-zero. The tensors broadcast.

Args:
    self, other (Tensor): any dtype.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.logical_or(torch.tensor([0, 1, 0]), torch.tensor([0, 0, 3]))
    tensor([False,  True,  True]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<logical_or_of, 2, dtypes::all>("logical_or_cpu"),
    .npu = {"LogicalOr"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
