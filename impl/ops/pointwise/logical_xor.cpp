// logical_xor: whether exactly one is non-zero.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto logical_xor_of = [](auto a, auto b) {
  using T = decltype(a);
  return (a != T(0)) != (b != T(0));
};

MT_OP(OpDef{
    .schema = {"logical_xor(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Tests for each pair of elements whether exactly one is non-zero.

NaN counts as non-zero. The tensors broadcast.

Args:
    self, other (Tensor): any dtype.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.logical_xor(torch.tensor([0, 1, 2]), torch.tensor([0, 0, 3]))
    tensor([False,  True, False]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<logical_xor_of, 2, dtypes::all>("logical_xor_cpu"),
    .npu = {"LogicalXor"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
