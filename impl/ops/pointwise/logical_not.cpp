// logical_not: whether each element is zero.
#include <algorithm>

#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto logical_not_of = [](auto x) { return x == decltype(x)(0); };

// The compiler vectorises over bytes, but not over bool.
PointwiseKernel make_logical_not_kernel() {
  PointwiseKernel k = elementwise<logical_not_of, 1, dtypes::numbers>("logical_not_cpu");
  k.dtypes = dtypes::all;
  std::copy_n(k.loops[loop_slot_of(Dtype::uint8)], 3, k.loops[loop_slot_of(Dtype::boolean)]);
  k.results[loop_slot_of(Dtype::boolean)] = Dtype::boolean;
  return k;
}

MT_OP(OpDef{
    .schema = {"logical_not(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Tests each element for zero.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: bool, or the dtype of `out`, with the shape of `self`.

Example:
    >>> torch.logical_not(torch.tensor([0.0, 1.5, -2.0]))
    tensor([ True, False, False]))",
    .rule = pointwise(promoting),
    .cpu = make_logical_not_kernel(),
    .npu = {"LogicalNot"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
