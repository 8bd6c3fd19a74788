// cross_entropy_loss: log_softmax and nll_loss; class probabilities and label smoothing.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto loss_of = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignore_index,
                            double smoothing) -> Tensor {
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
    Tensor loss = -op<"sum.dim_IntList">(log * wanted, IntList{class_dim});
    if (reduction == 0) return loss;
    Tensor total = -op<"sum">(log * wanted);
    if (reduction == 2) return total;
    return total / (double(self.numel()) / double(self.size(class_dim)));
  }
  check(smoothing >= 0 && smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: {}", smoothing);
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
    .doc = "The cross entropy between logits and target classes (or class probabilities).",
    .module = "nn",
    .composite = loss_of,
});

}  // namespace
}  // namespace mt
