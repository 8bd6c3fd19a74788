// nll_loss: the negative log-likelihood of the target classes: (N, C) and (N).
#include "rules/reduction/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the negative log-likelihood of target classes: ``-weight[t] * self[t]`` for each row.

`self` holds logarithms of probabilities. A mean divides by the sum of the targets' weights, ignored
ones left out. ``torch.nn.functional.nll_loss`` takes any number of dimensions and `reduction` by
name.

Args:
    self (Tensor): logarithms of probabilities; shape ``(N, C)`` or ``(C,)``; a floating dtype.
    target (Tensor): int64 classes in ``[0, C)``; shape ``(N,)`` or none.
    weight (Tensor, optional): factor of each class; shape ``(C,)``.
    reduction (int): 0 for each row, 1 for the mean, 2 for the sum. Default: ``1``.
    ignore_index (int): class that counts for nothing. Default: ``-100``.

Returns:
    Tensor: the loss; shape ``(N,)`` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when shapes or dtypes do not fit.
    IndexError: when a class is out of range.

Example:
    >>> F.nll_loss(torch.tensor([[-1.0, -2.0], [-3.0, -4.0]]), torch.tensor([1, 0]))
    tensor(2.5000))",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignore) -> Tensor {
      return op<"nll_loss_forward", Tensors<2>>(self, target, weight, reduction, ignore)[0];
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
