// _fused_sgd_: one step of SGD over lists of tensors.
#include "rules/fused_optimizer.h"

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
    T* __restrict param = data[0];
    T* __restrict grad = data[1];
    T* __restrict buffer = data[2];  // nullptr without momentum
    const C decay = C(s->weight_decay), momentum = C(s->momentum), fresh = C(1 - s->dampening), rate = C(-s->lr),
            unscale = C(s->grad_scale);
    const C sign = s->maximize ? C(-1) : C(1);
    const bool decays = s->weight_decay != 0, scaled = s->scaled, first = s->is_first_step, nesterov = s->nesterov;
    for (int64_t i = begin; i < end; ++i) {
      C g = C(grad[i]);
      if (scaled) {
        g = g / unscale;
        grad[i] = T(g);
      }
      g = g * sign;
      const C p = C(param[i]);
      if (decays) g = g + decay * p;
      if (buffer) {
        const C b = first ? g : C(buffer[i]) * momentum + fresh * g;
        buffer[i] = T(b);
        g = nesterov ? g + momentum * b : b;
      }
      param[i] = T(p + rate * g);
    }
  }
};

constexpr auto step = [](TensorList self, TensorList grads, TensorList buffers, double weight_decay, double momentum, double lr,
                         double dampening, bool nesterov, bool maximize, bool is_first_step, const Tensor& grad_scale,
                         const Tensor& found_inf) {
  check_parallel(self, {grads});
  if (momentum != 0) check_parallel(self, {buffers});
  if (is_void_step(found_inf)) return;
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
    .doc = "One step of SGD for each parameter, given its gradient and momentum buffer.",
    .cpu = step,
    .overloads = {overload("tensor_lr", {.cpu =
                                             [](TensorList self, TensorList grads, TensorList buffers, double weight_decay, double momentum,
                                                const Tensor& lr, double dampening, bool nesterov, bool maximize, bool is_first_step,
                                                const Tensor& grad_scale, const Tensor& found_inf) {
                                               step(self, grads, buffers, weight_decay, momentum, rate_of(lr), dampening, nesterov,
                                                    maximize, is_first_step, grad_scale, found_inf);
                                             }})},
});

}  // namespace
}  // namespace mt
