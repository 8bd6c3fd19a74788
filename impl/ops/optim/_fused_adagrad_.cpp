// _fused_adagrad_: one step of Adagrad over lists of tensors.
#include <cmath>

#include "rules/optim/fused_optimizer.h"

namespace mt {
namespace {

struct AdagradStep {
  double rate, weight_decay, eps, grad_scale;
  bool maximize, scaled;
};

struct AdagradKernel {
  template <class T>
  [[gnu::always_inline]] static void run(int64_t begin, int64_t end, T* const* data, const AdagradStep* s) {
    using C = ComputeType<T>;
    T* __restrict param = data[0];
    T* __restrict grad = data[1];
    T* __restrict sum = data[2];
    const C decay = C(s->weight_decay), rate = C(-s->rate), eps = C(s->eps), unscale = C(s->grad_scale), sign = s->maximize ? C(-1) : C(1);
    const bool decays = s->weight_decay != 0, scaled = s->scaled;
    for (int64_t i = begin; i < end; ++i) {
      C g = C(grad[i]);
      if (scaled) {
        g = g / unscale;
        grad[i] = T(g);
      }
      g = g * sign;
      const C p = C(param[i]);
      if (decays) g = g + decay * p;
      const C total = C(sum[i]) + g * g;
      sum[i] = T(total);
      param[i] = T(p + rate * g / (std::sqrt(total) + eps));
    }
  }
};

constexpr auto compute_fused_adagrad = [](TensorList self, TensorList grads, TensorList sums, TensorList state_steps, double lr,
                                          double lr_decay, double weight_decay, double eps, bool maximize, const Tensor& grad_scale,
                                          const Tensor& found_inf) {
  check_equal_lengths(self, {grads, sums, state_steps});
  if (must_skip_step(found_inf)) return;
  for (int64_t i = 0; i < self.count; ++i) {
    const AdagradStep s{lr / (1 + (step_number_in(state_steps[i]) - 1) * lr_decay),
                        weight_decay,
                        eps,
                        scale_of(grad_scale),
                        maximize,
                        grad_scale.defined()};
    run_fused<AdagradKernel>(DenseGroup({self[i], grads[i], sums[i]}), "fused_adagrad_kernel", s);
  }
};

MT_OP(OpDef{
    .schema = {"_fused_adagrad_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, float lr, "
               "float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()",
               "_fused_adagrad_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor[] state_steps, *, Tensor "
               "lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()"},
    .forms = function,
    .doc = R"(Makes one step of Adagrad for each parameter, in one pass over gradients and state, in place.

(Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12, 2011.) ``torch.optim.Adagrad``
with ``fused=True`` uses it. With `grad_scale` gradients are divided first; a step with `found_inf`
set is left out.)",
    .cpu = compute_fused_adagrad,
    .overloads = {overload("tensor_lr", {.cpu =
                                             [](TensorList self, TensorList grads, TensorList sums, TensorList state_steps,
                                                const Tensor& lr, double lr_decay, double weight_decay, double eps, bool maximize,
                                                const Tensor& grad_scale, const Tensor& found_inf) {
                                               compute_fused_adagrad(self, grads, sums, state_steps, learning_rate_of(lr), lr_decay,
                                                                     weight_decay, eps, maximize, grad_scale, found_inf);
                                             }})},
});

}  // namespace
}  // namespace mt
