// nll_loss_nd: nll_loss for any number of dimensions after the classes: (N, C, ...) and (N, ...).
#include "rules/reduction/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the negative log-likelihood of target classes, with any dimensions after the classes.

A mean divides by the sum of the targets' weights, ignored ones left out.
``torch.nn.functional.nll_loss`` calls it.

Args:
    self (Tensor): logarithms of probabilities; shape ``(N, C, *)`` or ``(C,)``; a floating dtype.
    target (Tensor): int64 classes in ``[0, C)``; shape ``(N, *)`` or none.
    weight (Tensor, optional): factor of each class; shape ``(C,)``.
    reduction (int): 0 for each target, 1 for the mean, 2 for the sum. Default: ``1``.
    ignore_index (int): class that counts for nothing. Default: ``-100``.

Returns:
    Tensor: the loss; shape ``(N, *)`` without reduction, otherwise no dimensions.

Raises:
    ValueError: when the batch sizes differ.
    RuntimeError: when shapes or dtypes do not fit.
    IndexError: when a class is out of range.

Example:
    >>> F.nll_loss(torch.full((1, 2, 4), -0.5), torch.zeros(1, 4, dtype=torch.int64))
    tensor(0.5000))",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignore) -> Tensor {
      check(self.dim() >= 1, ErrorKind::value, "Expected 1 or more dimensions (got {})", self.dim());
      check(self.dim() == 1 || self.size(0) == target.size(0), ErrorKind::value,
            "Expected input batch_size ({}) to match target batch_size ({}).", self.size(0), target.dim() ? target.size(0) : 0);
      if (self.dim() <= 2) return op<"nll_loss">(self, target, weight, reduction, ignore);
      if (self.dim() == 4) return op<"nll_loss2d">(self, target, weight, reduction, ignore);
      const int64_t n = self.size(0), c = self.size(1);
      Dims expected(self.sizes());
      expected.erase(1);
      check(target.sizes() == IntList(expected), "Expected target size {}, got {}", expected, target.sizes());
      // As images of one row.
      const int64_t width = product(IntList(self.sizes().data + 2, self.dim() - 2));
      const Tensor images = op<"reshape">(self, IntList{n, c, 1, width});
      Tensor loss = op<"nll_loss2d">(images, op<"reshape">(target, IntList{n, 1, width}), weight, reduction, ignore);
      return reduction == 0 ? op<"view">(loss, expected) : loss;
    },
});

}  // namespace
}  // namespace mt
