// cross_entropy_loss: log_softmax and nll_loss; class probabilities and label smoothing.
#include "rules/form/unwatched.h"
#include "rules/nn/nll_loss.h"
#include "rules/reduction/softmax.h"

namespace mt {
namespace {

bool can_compute_in_blocks(const Tensor& self, const Tensor& target) {
  return has_no_observers({&self, &target}) && is_floating(self.dtype()) && !is_float8(self.dtype()) && self.dim() == 2 && self.numel() &&
         self.is_contiguous() && target.dtype() == Dtype::int64 && target.dim() == 1 && target.size(0) == self.size(0) &&
         target.is_contiguous();
}

// Computes log_softmax for a few rows at a time, in a buffer that stays in the caches, since only one element of each row is read. The bits
// are those of log_softmax followed by nll_loss.
Tensor cross_entropy_in_blocks(const Tensor& self, const Tensor& target, int64_t reduction, int64_t ignored) {
  const int64_t n = self.size(0), classes = self.size(1), together = std::max<int64_t>(1, 16384 / classes);
  const int64_t* const index = target.data<int64_t>();
  int64_t counted = 0;
  for (int64_t i = 0; i < n; ++i) counted += is_target_counted(index[i], ignored, classes);
  const Tensor losses = empty({n}, self.dtype()), out = reduction == 0 ? losses : empty({}, self.dtype());
  dispatch_floating(self.dtype(), "nll_loss_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    T* const loss = losses.data<T>();
    cpu::parallel_for(0, n, together, [&](int64_t begin, int64_t end) {
      const Tensor block = empty({std::min(together, end - begin), classes}, self.dtype());
      for (int64_t first = begin; first < end; first += together) {
        const Dims sizes{std::min(together, end - first), classes}, strides{classes, 1};
        const Tensor to = alias(block, sizes, strides, 0);
        softmax_forward(SoftmaxKind::logarithm, alias(self, sizes, strides, self.storage_offset() + first * classes), 1, to);
        for (int64_t i = first; i < first + sizes[0]; ++i)
          loss[i] = T(index[i] == ignored ? C(0) : -C(to.data<T>()[(i - first) * classes + index[i]]));
      }
    });
    if (reduction == 0) return;
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += C(loss[i]);
    *out.data<T>() = reduced_loss<T>(sum, double(counted), reduction);
  });
  return out;
}

constexpr auto compute_cross_entropy_loss = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                                               int64_t ignore_index, double smoothing) -> Tensor {
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  const bool probabilities = self.sizes() == target.sizes() && is_floating(target.dtype());
  if (probabilities) {
    check(ignore_index < 0, "ignore_index is not supported for floating point target");
    Tensor wanted = smoothing > 0 ? target * (1 - smoothing) + smoothing / double(self.size(class_dim)) : target;
    Tensor log = op<"log_softmax">(self, class_dim);
    if (weight.defined()) {
      Dims shape(self.dim(), 1);
      shape[class_dim] = weight.size(0);
      log = log * op<"view">(weight, shape);
    }
    if (reduction == 0) return -op<"sum.dim_IntList">(log * wanted, IntList{class_dim});
    Tensor total = -op<"sum">(log * wanted);
    if (reduction == 2) return total;
    return total / (double(self.numel()) / double(self.size(class_dim)));
  }
  check(smoothing >= 0 && smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: {}", smoothing);
  if (smoothing == 0 && !weight.defined() && can_compute_in_blocks(self, target))
    return cross_entropy_in_blocks(self, target, reduction, ignore_index);
  Tensor log = op<"log_softmax">(self, class_dim);
  Tensor nll = op<"nll_loss_nd">(log, target, weight, reduction, ignore_index);
  if (smoothing == 0) return nll;
  const int64_t classes = self.size(class_dim);
  Tensor smooth;
  if (weight.defined()) {
    Dims shape(self.dim(), 1);
    shape[class_dim] = weight.size(0);
    smooth = -op<"sum.dim_IntList">(log * op<"view">(weight, shape), IntList{class_dim});
  } else {
    smooth = -op<"sum.dim_IntList">(log, IntList{class_dim});
  }
  Tensor ignored = op<"eq">(target, ignore_index);
  smooth = op<"masked_fill">(smooth, ignored, 0.0);
  if (reduction == 1) {
    if (weight.defined()) {
      Tensor picked = op<"gather">(weight, 0, op<"flatten">(op<"masked_fill">(target, ignored, 0)));
      smooth = op<"sum">(smooth) / op<"sum">(op<"masked_fill">(picked, op<"flatten">(ignored), 0));
    } else {
      smooth = op<"sum">(smooth) / op<"sum">(op<"logical_not">(ignored));
    }
  } else if (reduction == 2) {
    smooth = op<"sum">(smooth);
  }
  return nll * (1 - smoothing) + smooth * (smoothing / double(classes));
};
MT_OP(OpDef{
    .schema = {"cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float "
               "label_smoothing=0.0) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the cross entropy between logits and target classes, or class probabilities.

For class indices it is ``-weight[t] * log_softmax(x)[t]``, for probabilities q
``-sum(q * weight * log_softmax(x))``. Label smoothing mixes the target with the uniform
distribution: ``(1 - label_smoothing) * q + label_smoothing / C`` (Szegedy et al., "Rethinking the
Inception architecture", CVPR 2016, section 7). A mean over class indices divides by the sum of the
targets' weights, ignored ones left out; over probabilities it divides by the number of samples.
``torch.nn.functional.cross_entropy`` takes `reduction` by name.

Args:
    self (Tensor): logits; shape ``(N, C, *)`` or ``(C,)``.
    target (Tensor): int64 classes, shape ``(N, *)``; or probabilities, in the shape of `self`.
    weight (Tensor, optional): factor of each class; shape ``(C,)``.
    reduction (int): 0 for each target, 1 for the mean, 2 for the sum. Default: ``1``.
    ignore_index (int): class that counts for nothing; for class indices only. Default: ``-100``.
    label_smoothing (float): weight of the uniform distribution; in [0, 1]. Default: ``0.0``.

Returns:
    Tensor: the loss; shape ``(N, *)`` without reduction, otherwise no dimensions. NaN for the mean
    over no target.

Raises:
    RuntimeError: when shapes do not fit or `label_smoothing` is outside of [0, 1].
    IndexError: when a class is out of range.

Example:
    >>> F.cross_entropy(torch.tensor([[0.0, 0.0]]), torch.tensor([1]))
    tensor(0.6931))",
    .module = "nn",
    .composite = compute_cross_entropy_loss,
});

}  // namespace
}  // namespace mt
