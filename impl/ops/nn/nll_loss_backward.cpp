// nll_loss_backward: the gradient of nll_loss with respect to its input.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/nn/nll_loss.h"

namespace mt {
namespace {

constexpr auto compute_nll_loss_backward = [](const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
                                              int64_t reduction, int64_t ignore_index, const Tensor& total) -> Tensor {
  check_nll_shapes(self, target, weight);
  check(total.numel() == 1, "expected total_weight to be a  single element tensor, got: {} ({} elements)", total.sizes(), total.numel());
  check(total.dtype() == self.dtype(), "expected total_weight of dtype {}, got {}", self.dtype(), total.dtype());
  const bool per_row = reduction == 0 && self.dim() == 2;
  check(!per_row || (grad.dim() == 1 && grad.size(0) == self.size(0)), messages::expected_vector_of_size, self.size(0), grad.dim(),
        grad.dim() ? grad.size(0) : 0);
  check(per_row || grad.numel() == 1, messages::expected_single_element_grad_output, grad.sizes());
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta()) return out;
  fill_with(out, 0);
  const int64_t n = self.dim() == 2 ? self.size(0) : 1, classes = self.size(-1);
  const Tensor g = dense_as(grad, self.dtype()), t = dense_as(target, Dtype::int64), w = dense_as(weight, self.dtype());
  dispatch_floating(self.dtype(), "nll_loss_backward_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const int64_t* index = t.data<int64_t>();
    for (int64_t i = 0; i < n; ++i) {
      if (!is_target_counted(index[i], ignore_index, classes)) continue;
      C value = -C(g.template data<T>()[g.numel() == 1 ? 0 : i]) * (w.defined() ? C(w.template data<T>()[index[i]]) : C(1));
      if (reduction == nll_mean) value /= C(*total.data<T>());
      out.data<T>()[i * classes + index[i]] = T(value);
    }
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, "
               "Tensor total_weight) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``nll_loss``.",
    .cpu = compute_nll_loss_backward,
    .npu = {"NLLLossBackward"},
    .meta = compute_nll_loss_backward,
    .grad = {wrt("grad_output", [](Grad g, In<"target"> target, In<"weight"> weight, In<"reduction", int64_t> reduction,
                                   In<"ignore_index", int64_t> ignore) { return op<"nll_loss">(g, target, weight, *reduction, *ignore); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},  // linear in it
    .grad_name = "NllLossBackwardBackward0",
});

}  // namespace
}  // namespace mt
