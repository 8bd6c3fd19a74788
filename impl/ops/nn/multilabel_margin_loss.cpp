// multilabel_margin_loss, its forward step and its gradient: a hinge between every target class and every other class.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/form/checked.h"
#include "rules/nn/loss.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

void check_shapes(const Tensor& self, const Tensor& target) {
  check((self.dim() == 2 && self.size(1) != 0) || (self.dim() == 1 && self.size(0) != 0) || self.dim() == 0,
        messages::expected_vector_or_matrix, self.sizes());
  const bool fits = self.dim() <= 1 ? target.dim() <= 1 && target.numel() == self.numel() : target.sizes() == self.sizes();
  check(fits, "inconsistent target size: {} for input of size: {}", target.sizes(), self.sizes());
}

// Raises, after the shape checks, if one tensor is a meta tensor and the other is not, even if that is a 0-dim CPU tensor.
void refuse_target_on_other_device(const Call& call) {
  const Tensor &self = Unbox<Tensor>::from(call.args[0]), &target = Unbox<Tensor>::from(call.args[1]);
  if (!(call.keys & key_bit(Key::meta)) || self.device() == target.device()) return;
  check_shapes(self, target);
  fail(messages::tensor_on_unexpected_device, self.device(), target.device());
}

constexpr auto compute_multilabel_margin_loss = [](const Tensor& self, const Tensor& target, int64_t reduction) -> Tensors<2> {
  check_shapes(self, target);
  const int64_t rows = self.dim() == 2 ? self.size(0) : 1, classes = self.dim() == 0 ? 1 : self.size(-1);
  const Tensor each = empty(self.dim() == 2 ? Dims{rows} : Dims(), self.dtype(), self.device());
  const Tensor is_target = empty(target.sizes(), self.dtype(), self.device());
  BelowAutograd guard;
  if (self.is_meta()) return {{reduce_loss(each, reduction), is_target}};
  if (self.numel() == 0) return {{reduction == 0 ? each : empty({}, self.dtype()), is_target}};
  if (is_complex(target.dtype())) not_implemented_for("min_all", target.dtype());
  if (self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64)
    not_implemented_for("multilabel_margin_loss_forward_out_frame", self.dtype());
  check(target.dtype() == Dtype::int64, messages::expected_scalar_type_long, target.dtype());
  const Tensor x = dense(self), t = dense(target);
  for (int64_t i = 0; i < t.numel(); ++i)
    check(t.data<int64_t>()[i] >= -1 && t.data<int64_t>()[i] < classes, "argument #2 'target' is out of range");
  fill_with(is_target, 0);
  dispatch_floating(self.dtype(), "multilabel_margin_loss_forward_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    for_rows(rows, classes * classes, [&](int64_t r) {
      const T* in = x.data<T>() + r * classes;
      const int64_t* labels = t.data<int64_t>() + r * classes;
      T* marks = is_target.data<T>() + r * classes;
      int64_t n = 0;  // labels end at the first -1
      for (; n < classes && labels[n] >= 0; ++n) marks[labels[n]] = T(C(1));
      C sum = 0;
      for (int64_t k = 0; k < n; ++k)
        for (int64_t j = 0; j < classes; ++j) {
          const C z = 1 - C(in[labels[k]]) + C(in[j]);
          if (C(marks[j]) == 0 && z > 0) sum += z;
        }
      each.data<T>()[r] = T(sum / C(classes));
    });
  });
  return {{reduce_loss(each, reduction), is_target}};
};

constexpr auto compute_multilabel_margin_loss_backward = [](const Tensor& grad, const Tensor& self, const Tensor& target, int64_t reduction,
                                                            const Tensor& is_target) -> Tensor {
  check_shapes(self, target);
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (self.is_meta() || self.numel() == 0) return out;
  check(is_target.sizes() == target.sizes(), "inconsistent is_target size: {} for input of size: {}", is_target.sizes(), self.sizes());
  const int64_t rows = self.dim() == 2 ? self.size(0) : 1, classes = self.dim() == 0 ? 1 : self.size(-1);
  const Tensor x = dense(self), t = dense_as(target, Dtype::int64), marks_of = dense_as(is_target, self.dtype()),
               g = dense_as(grad, self.dtype());
  for (int64_t i = 0; i < t.numel(); ++i)
    check(t.data<int64_t>()[i] >= -1 && t.data<int64_t>()[i] < classes, "argument #3 'target' is out of range");
  const bool per_row = reduction == 0 && grad.dim() > 0;
  if (per_row) check(grad.dim() == 1 && grad.size(0) == rows, messages::expected_vector_of_size, rows, grad.dim(), grad.size(0));
  check(g.numel() > 0, "grad_output must have an element, got {}", grad.sizes());
  fill_with(out, 0);
  dispatch_floating(self.dtype(), "multilabel_margin_loss_backward_out_frame", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const C scale = C(1) / C(reduction == 1 ? rows * classes : classes);
    for_rows(rows, classes * classes, [&](int64_t r) {
      const T* in = x.data<T>() + r * classes;
      const T* marks = marks_of.data<T>() + r * classes;
      const int64_t* labels = t.data<int64_t>() + r * classes;
      T* to = out.data<T>() + r * classes;
      const C step = scale * C(g.template data<T>()[per_row ? r : 0]);
      for (int64_t k = 0; k < classes && labels[k] >= 0; ++k)
        for (int64_t j = 0; j < classes; ++j)
          if (C(marks[j]) == 0 && 1 - C(in[labels[k]]) + C(in[j]) > 0) {
            to[labels[k]] = T(C(to[labels[k]]) - step);
            to[j] = T(C(to[j]) + step);
          }
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)"},
    .forms = internal,
    .doc = "Computes ``multilabel_margin_loss``, and a tensor with 1 at the classes that are targets.",
    .rule = rule_after_check(refuse_target_on_other_device),
    .cpu = compute_multilabel_margin_loss,
    .npu = {"MultilabelMarginLoss"},
    .meta = compute_multilabel_margin_loss,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"target"> target, In<"reduction", int64_t> reduction, Out<"is_target"> is_target) {
                   return op<"multilabel_margin_loss_backward">(g, x, target, *reduction, is_target);
                 })},
    .grad_name = "MultilabelMarginLossBackward0",
    .no_forward = true,
});
MT_OP(OpDef{
    .schema =
        {"multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``multilabel_margin_loss``.",
    .cpu = compute_multilabel_margin_loss_backward,
    .meta = compute_multilabel_margin_loss_backward,
    .out_policy = OutPolicy{.dtype_error = "expected scalar type {} but found {}"},
});
MT_OP(OpDef{
    .schema = {"multilabel_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a hinge loss between every target class and every other class, averaged over the classes.

``sum over t, j of max(0, 1 - x[t] + x[j]) / C`` for all targets t and all classes j that are no
target. ``torch.nn.functional.multilabel_margin_loss`` takes `reduction` by name.

Args:
    self (Tensor): scores; shape ``(N, C)`` or ``(C,)``; a floating dtype.
    target (Tensor): int64 classes in the shape of `self`; a row's targets end at its first -1.
    reduction (int): 0 for each sample, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; shape ``(N,)`` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when shapes do not fit or a class is out of range.

Example:
    >>> x = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> F.multilabel_margin_loss(x, torch.tensor([[3, 0, -1, 1]]))
    tensor(0.8500))",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& target, int64_t reduction) -> Tensor {
      return op<"multilabel_margin_loss_forward", Tensors<2>>(self, target, reduction)[0];
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
