// multi_margin_loss and its gradient: a hinge for every class except the target.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/nn/loss.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

struct MarginLossArguments {
  int64_t rows = 1, classes = 1;
  Tensor input, target, weight;  // contiguous
};

// Checks the arguments; a 1-d input is one row, a 0-d input is one row of one class.
MarginLossArguments check_arguments(const Tensor& self, const Tensor& target, int64_t p, const Tensor& weight) {
  MarginLossArguments m;
  check(p == 1 || p == 2, "only p == 1 and p == 2 supported");
  const bool is_row = self.dim() <= 1;
  m.rows = is_row ? 1 : self.size(0);
  m.classes = self.dim() == 0 ? 1 : self.dim() == 1 ? self.size(0) : self.size(1);
  check((self.dim() == 2 && self.size(1) != 0) || (self.dim() == 1 && self.size(0) != 0) || self.dim() == 0,
        messages::expected_vector_or_matrix, self.sizes());
  check(target.dim() <= 1 && target.numel() == m.rows,
        "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size "
        "[{}], but got {}. Input has shape {}.",
        m.rows, target.sizes(), self.sizes());
  if (weight.defined())
    check(weight.dim() <= 1 && weight.numel() == m.classes, "inconsistent weight size, expected {} but got {}", m.classes, weight.sizes());
  return m;
}
void check_and_make_contiguous(MarginLossArguments& m, const Tensor& self, const Tensor& target, const Tensor& weight, const char* kernel) {
  if (self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64) not_implemented_for(kernel, self.dtype());
  check(target.dtype() == Dtype::int64, messages::expected_scalar_type_long, target.dtype());
  check(!weight.defined() || weight.dtype() == self.dtype(), messages::expected_scalar_type, self.dtype(),
        weight.defined() ? weight.dtype() : self.dtype());
  m.input = dense(self), m.target = dense(target), m.weight = dense(weight);
  for (int64_t i = 0; i < m.rows; ++i) {
    const int64_t t = m.target.data<int64_t>()[i];
    check(t >= 0 && t < m.classes, "target out of range");
  }
}

constexpr auto compute_multi_margin_loss = [](const Tensor& self, const Tensor& target, Scalar p, Scalar margin, const Tensor& weights,
                                              int64_t reduction) -> Tensor {
  MarginLossArguments m = check_arguments(self, target, p.to_int(), weights);
  const Tensor each = empty(target.dim() == 0 ? Dims() : Dims{m.rows}, self.dtype(), self.device());
  const bool squared = p.to_int() == 2;
  BelowAutograd guard;
  if (self.is_meta() || self.numel() == 0)
    return reduction == 0 || self.is_meta() ? reduce_loss(each, reduction) : empty({}, self.dtype(), self.device());
  check_and_make_contiguous(m, self, target, weights, "multi_margin_loss_cpu_kernel");
  dispatch_floating(self.dtype(), "multi_margin_loss_cpu_kernel", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const C bound = C(margin.to_double());
    for_rows(m.rows, m.classes, [&](int64_t r) {
      const T* x = m.input.data<T>() + r * m.classes;
      const int64_t t = m.target.data<int64_t>()[r];
      const C above = bound - C(x[t]), weight = m.weight.defined() ? C(m.weight.template data<T>()[t]) : C(1);
      const auto hinges = [&](const T* from, int64_t n) {
        const auto hinge = [&](int64_t j) { return above + C(from[j]) > 0 ? above + C(from[j]) : C(0); };
        return squared ? row_sum<C>(n, [&](int64_t j) { return hinge(j) * hinge(j); }) : row_sum<C>(n, hinge);
      };
      C sum = 0;
      for (bool after : {false, true}) sum += hinges(after ? x + t + 1 : x, after ? m.classes - t - 1 : t);
      each.data<T>()[r] = T(sum * weight / C(m.classes));
    });
  });
  return reduce_loss(each, reduction);
};

constexpr auto compute_multi_margin_loss_backward = [](const Tensor& grad, const Tensor& self, const Tensor& target, Scalar p,
                                                       Scalar margin, const Tensor& weight, int64_t reduction) -> Tensor {
  MarginLossArguments m = check_arguments(self, target, p.to_int(), weight);
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (self.is_meta() || self.numel() == 0) return out;
  check_and_make_contiguous(m, self, target, weight, "multi_margin_loss_backward_cpu_kernel");
  const Tensor g = dense_as(grad, self.dtype());
  const bool squared = p.to_int() == 2, per_row = g.numel() == m.rows && grad.dim() > 0;
  dispatch_floating(self.dtype(), "multi_margin_loss_backward_cpu_kernel", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const C bound = C(margin.to_double()), scale = C(1) / C(reduction == 1 ? m.rows * m.classes : m.classes);
    for_rows(m.rows, m.classes, [&](int64_t r) {
      const T* x = m.input.data<T>() + r * m.classes;
      T* to = out.data<T>() + r * m.classes;
      const int64_t t = m.target.data<int64_t>()[r];
      const C factor = scale * C(g.template data<T>()[per_row ? r : 0]) * (m.weight.defined() ? C(m.weight.template data<T>()[t]) : C(1));
      C total = 0;
      for (int64_t j = 0; j < m.classes; ++j) {
        const C z = bound - C(x[t]) + C(x[j]);
        const C h = j != t && z > 0 ? (squared ? 2 * z : C(1)) * factor : C(0);
        to[j] = T(h);
        total += h;
      }
      to[t] = T(-total);
    });
  });
  return out;
};

// The target holds class indices and must be on the device of `self`: not even a 0-dim CPU tensor may be combined with a meta tensor.
void refuse_target_on_other_device(const Call& call) {
  refuse_meta_mixtures(call);
  const Device self = Unbox<Tensor>::from(call.args[0]).device(), target = Unbox<Tensor>::from(call.args[1]).device();
  check(self == target || !(call.keys & key_bit(Key::meta)), messages::tensor_on_unexpected_device, target, self);
}

MT_OP(OpDef{
    .schema =
        {"multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=Mean) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a hinge loss for every class but the target's, averaged over the classes.

``sum over j != t of weight[t] * max(0, margin - x[t] + x[j])^p / C`` for each sample with target t.
``torch.nn.functional.multi_margin_loss`` takes `reduction` by name.

Args:
    self (Tensor): scores; shape ``(N, C)`` or ``(C,)``; a floating dtype.
    target (Tensor): int64 classes in ``[0, C)``; shape ``(N,)`` or none.
    p (number): 1 or 2. Default: ``1``.
    margin (number): wanted distance. Default: ``1``.
    weight (Tensor, optional): factor of each class; shape ``(C,)``.
    reduction (int): 0 for each sample, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; shape ``(N,)`` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when `p` is another number, shapes do not fit or a class is out of range.

Example:
    >>> F.multi_margin_loss(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([3]))
    tensor(0.3250))",
    .module = "nn",
    .rule = rule_after_check(refuse_target_on_other_device),
    .cpu = compute_multi_margin_loss,
    .meta = compute_multi_margin_loss,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"target"> target, In<"p", Scalar> p, In<"margin", Scalar> margin, In<"weight"> weight,
                    In<"reduction", int64_t> reduction) {
                   return op<"multi_margin_loss_backward">(g, x, target, *p, *margin, weight, *reduction);
                 })},
    .no_forward = true,
    .out_policy = OutPolicy{.dtype_error = "expected scalar type {} but found {}"},
});
MT_OP(OpDef{
    .schema = {"multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight=None, "
               "int reduction=Mean) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``multi_margin_loss``.",
    .cpu = compute_multi_margin_loss_backward,
    .meta = compute_multi_margin_loss_backward,
    .out_policy = OutPolicy{.dtype_error = "expected scalar type {} but found {}"},
});

}  // namespace
}  // namespace mt
