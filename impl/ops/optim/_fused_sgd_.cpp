// _fused_sgd_: one step of SGD over lists of tensors.
#include <algorithm>

#include "rules/optim/fused_optimizer.h"

namespace mt {
namespace {

struct SgdStep {
  double weight_decay, momentum, lr, dampening, grad_scale;
  bool nesterov, maximize, is_first_step, scaled;
};

struct SgdKernel {
  template <class T>
  [[gnu::always_inline]] static void run(int64_t begin, int64_t end, T* const* data, const SgdStep* s) {
    using C = ComputeType<T>;
    // Step by step over tiles in the L1 cache: a single loop over all steps has too many conditions to vectorise.
    constexpr int64_t tile = 512;
    const C decay = C(s->weight_decay), momentum = C(s->momentum), fresh = C(1 - s->dampening), rate = C(-s->lr),
            unscale = C(s->grad_scale);
    for (; begin < end; begin += tile) {
      const int64_t n = std::min(tile, end - begin);
      T *const param = data[0] + begin, *const grad = data[1] + begin, *const buffer = data[2] ? data[2] + begin : nullptr;
      C g[tile];
      for (int64_t i = 0; i < n; ++i) g[i] = C(grad[i]);
      if (s->scaled)
        for (int64_t i = 0; i < n; ++i) grad[i] = T(g[i] = g[i] / unscale);
      if (s->maximize)
        for (int64_t i = 0; i < n; ++i) g[i] = -g[i];
      if (s->weight_decay != 0)
        for (int64_t i = 0; i < n; ++i) g[i] = g[i] + decay * C(param[i]);
      if (buffer) {  // nullptr without momentum
        C b[tile];
        for (int64_t i = 0; i < n; ++i) b[i] = s->is_first_step ? g[i] : C(buffer[i]) * momentum + fresh * g[i];
        for (int64_t i = 0; i < n; ++i) buffer[i] = T(b[i]);
        for (int64_t i = 0; i < n; ++i) g[i] = s->nesterov ? g[i] + momentum * b[i] : b[i];
      }
      for (int64_t i = 0; i < n; ++i) param[i] = T(C(param[i]) + rate * g[i]);
    }
  }
};

constexpr auto step_fused_sgd = [](TensorList self, TensorList grads, TensorList buffers, double weight_decay, double momentum, double lr,
                                   double dampening, bool nesterov, bool maximize, bool is_first_step, const Tensor& grad_scale,
                                   const Tensor& found_inf) {
  check_equal_lengths(self, {grads});
  if (momentum != 0) check_equal_lengths(self, {buffers});
  if (must_skip_step(found_inf)) return;
  const SgdStep s{weight_decay, momentum, lr, dampening, scale_of(grad_scale), nesterov, maximize, is_first_step, grad_scale.defined()};
  for (int64_t i = 0; i < self.count; ++i) {
    std::vector<Tensor> tensors = {self[i], grads[i]};
    if (momentum != 0) tensors.push_back(buffers[i]);
    run_fused<SgdKernel>(DenseGroup(std::move(tensors)), "fused_sgd_kernel", s);
  }
};

MT_OP(OpDef{
    .schema = {"_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float "
               "momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? "
               "found_inf=None) -> ()",
               "_fused_sgd_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, "
               "float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, "
               "Tensor? found_inf=None) -> ()"},
    .forms = function,
    .doc = R"(Makes one step of SGD for each parameter, in one pass over gradients and momentum, in place.

``torch.optim.SGD`` with ``fused=True`` uses it. With `grad_scale` gradients are divided first; a
step with `found_inf` set is left out.)",
    .cpu = step_fused_sgd,
    .overloads = {overload("tensor_lr", {.cpu =
                                             [](TensorList self, TensorList grads, TensorList buffers, double weight_decay, double momentum,
                                                const Tensor& lr, double dampening, bool nesterov, bool maximize, bool is_first_step,
                                                const Tensor& grad_scale, const Tensor& found_inf) {
                                               step_fused_sgd(self, grads, buffers, weight_decay, momentum, learning_rate_of(lr), dampening,
                                                              nesterov, maximize, is_first_step, grad_scale, found_inf);
                                             }})},
});

}  // namespace
}  // namespace mt
