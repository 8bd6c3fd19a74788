// equal: whether both have the same size and elements.
#include "core/backend.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"equal(Tensor self, Tensor other) -> bool"},
    .forms = function | method,
    .doc = R"(Tests whether two tensors have the same size and equal elements.

NaN equals nothing. The dtypes may differ: elements are compared in the promoted one. The tensors
do not broadcast.

Args:
    self, other (Tensor): any shape and dtype, on the same device.

Returns:
    bool: the answer.

Example:
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([[1, 2]]))
    False)",
    .cpu = [](const Tensor& a, const Tensor& b) -> bool {
      check(a.device() == b.device(), "Cannot compare two tensors on different devices. Got: {} and {}", a.device(), b.device());
      if (a.sizes() != b.sizes()) return false;
      if (a.numel() == 0) return true;
      BelowAutograd guard;
      return *on_host(op<"all">(op<"eq">(a, b))).data<bool>();
    },
    .npu = {any_device},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
