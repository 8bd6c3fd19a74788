// nll_loss2d, its forward step and its gradient: nll_loss over images, (N, C, H, W) and (N, H, W).
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/nn/nll_loss.h"

namespace mt {
namespace {

void check_shapes(const Tensor& self, const Tensor& target, const Tensor& weight) {
  check(target.dtype() == Dtype::int64 || target.dtype() == Dtype::uint8, messages::target_must_be_long_or_byte, target.dtype());
  check(target.dim() == 3, "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}", target.dim());
  check(self.dim() == 4, "only batches of spatial inputs supported (4D tensors), but got input of dimension: {}", self.dim());
  check(!weight.defined() || weight.numel() == self.size(1), "weight tensor should be defined either for all or no classes");
  check(self.size(0) == target.size(0) && self.size(2) == target.size(1) && self.size(3) == target.size(2),
        "size mismatch (got input: {} , target: {}", self.sizes(), target.sizes());
}

// Calls f(element, image, class, weight) for every position that is not ignored; raises if a class is out of range.
template <class T, class F>
void visit_targets(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t ignore_index, F&& f) {
  const int64_t classes = self.size(1), area = self.size(2) * self.size(3), n = target.numel();
  const int64_t* index = target.data<int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t c = index[i];
    if (!is_target_counted(c, ignore_index, classes)) continue;
    const int64_t image = i / area;
    f(i, (image * classes + c) * area + i % area, weight.defined() ? ComputeType<T>(weight.data<T>()[c]) : ComputeType<T>(1));
  }
}

constexpr auto compute_nll_loss2d = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                                       int64_t ignore_index) -> Tensors<2> {
  check_shapes(self, target, weight);
  const bool each = reduction == 0;
  Tensor out = empty(each ? target.sizes() : IntList(), self.dtype(), self.device());
  Tensor total = empty({}, self.dtype(), self.device());
  if (self.is_meta()) return {{out, total}};
  dispatch_floating(self.dtype(), "nll_loss2d_forward_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor x = dense(self), t = dense_as(target, Dtype::int64), w = dense_as(weight, self.dtype());
    fill_with(out, 0);
    double sum = 0, weights = 0;
    visit_targets<T>(x, t, w, ignore_index, [&](int64_t i, int64_t at, C scale) {
      const C loss = -C(x.data<T>()[at]) * scale;
      if (each) out.data<T>()[i] = T(loss);
      sum += loss;
      weights += scale;
    });
    if (!each) *out.data<T>() = reduced_loss<T>(sum, weights, reduction);
    *total.data<T>() = T(C(each ? 0 : weights));
  });
  return {{out, total}};
};

constexpr auto compute_nll_loss2d_backward = [](const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
                                                int64_t reduction, int64_t ignore_index, const Tensor& total) -> Tensor {
  check_shapes(self, target, weight);
  check(total.numel() == 1, "expected total_weight to be a single element tensor, got: {} ({} elements)", total.sizes(), total.numel());
  const bool each = reduction == 0;
  check(!each || grad.sizes() == target.sizes(), "size mismatch (got grad_output: {}, target: {})", grad.sizes(), target.sizes());
  check(each || grad.numel() == 1, messages::expected_single_element_grad_output, grad.sizes());
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (self.is_meta()) return out;
  fill_with(out, 0);
  dispatch_floating(self.dtype(), "nll_loss2d_backward_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor g = dense_as(grad, self.dtype()), t = dense_as(target, Dtype::int64), w = dense_as(weight, self.dtype());
    visit_targets<T>(out, t, w, ignore_index, [&](int64_t i, int64_t at, C scale) {
      C value = -C(g.template data<T>()[each ? i : 0]) * scale;
      if (reduction == nll_mean) value /= C(*total.data<T>());
      out.data<T>()[at] = T(value);
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, "
               "Tensor total_weight)"},
    .forms = internal,
    .doc = "Computes ``nll_loss2d``, and the sum of the weights that a mean divides by.",
    .cpu = compute_nll_loss2d,
    .npu = {"NLLLoss2d"},
    .meta = compute_nll_loss2d,
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"target"> target, In<"weight"> weight, In<"reduction", int64_t> reduction,
                    In<"ignore_index", int64_t> ignore,
                    Out<"total_weight"> total) { return op<"nll_loss2d_backward">(g, self, target, weight, *reduction, *ignore, total); })},
    .grad_name = "NllLoss2DBackward0",
});
MT_OP(OpDef{
    .schema = {"nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, "
               "Tensor total_weight) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``nll_loss2d``.",
    .cpu = compute_nll_loss2d_backward,
    .npu = {"NLLLoss2dBackward"},
    .meta = compute_nll_loss2d_backward,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"target"> target, In<"weight"> weight, In<"reduction", int64_t> reduction,
                    In<"ignore_index", int64_t> ignore) { return op<"nll_loss2d">(g, target, weight, *reduction, *ignore); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},  // linear in it
    .grad_name = "NllLoss2DBackwardBackward0",
});
MT_OP(OpDef{
    .schema = {"nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the negative log-likelihood of the target class of each pixel.

A mean divides by the sum of the targets' weights, ignored ones left out.
``torch.nn.functional.nll_loss`` calls it for images.

Args:
    self (Tensor): logarithms of probabilities; shape ``(N, C, H, W)``; a floating dtype.
    target (Tensor): int64 classes in ``[0, C)``; shape ``(N, H, W)``.
    weight (Tensor, optional): factor of each class; shape ``(C,)``.
    reduction (int): 0 for each pixel, 1 for the mean, 2 for the sum. Default: ``1``.
    ignore_index (int): class that counts for nothing. Default: ``-100``.

Returns:
    Tensor: the loss; shape ``(N, H, W)`` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when shapes or dtypes do not fit.
    IndexError: when a class is out of range.

Example:
    >>> F.nll_loss(torch.full((1, 2, 3, 3), -0.5), torch.zeros(1, 3, 3, dtype=torch.int64))
    tensor(0.5000))",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignore) -> Tensor {
      return op<"nll_loss2d_forward", Tensors<2>>(self, target, weight, reduction, ignore)[0];
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
