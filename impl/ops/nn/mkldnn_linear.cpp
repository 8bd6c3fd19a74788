// mkldnn_linear: a linear layer for tensors in oneDNN's layout. As in torch, dense CPU tensors have no kernel.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"mkldnn_linear(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a linear layer of tensors in the layout of oneDNN; the CPU has no kernel for it.

It runs on meta tensors only: use ``torch.nn.functional.linear``.

Args:
    self (Tensor): shape ``(*, I)``.
    weight (Tensor): shape ``(O, I)``.
    bias (Tensor, optional): shape ``(O,)``.

Returns:
    Tensor: shape ``(*, O)``.

Raises:
    NotImplementedError: on the CPU.

Example:
    >>> F.linear(torch.ones(1, 2), torch.ones(3, 2))  # what to call instead
    tensor([[2., 2., 2.]]))",
    .module = "nn",
    .meta = [](const Tensor& self, const Tensor& weight, const Tensor& bias) -> Tensor { return op<"linear">(self, weight, bias); },
});

}  // namespace
}  // namespace mt
