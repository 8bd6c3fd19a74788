// One step of Adam or AdamW over lists of tensors.
#pragma once

#include <cmath>

#include "rules/fused_optimizer.h"

namespace mt {

struct AdamLists {
  TensorList params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps;
};
struct AdamOptions {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize, decoupled;
};
// The numbers of one parameter's step, rounded to the compute type where the loop starts.
struct AdamStep {
  AdamOptions options;
  double step_size, correction, grad_scale;
  bool scaled;
};

struct AdamKernel {
  template <class T>
  [[gnu::always_inline]] static void run(int64_t begin, int64_t end, T* const* data, const AdamStep* s) {
    // One loop per kind of step, so that each vectorises without a choice inside.
    if (s->options.amsgrad)
      s->options.decoupled ? loop<T, true, true>(begin, end, data, *s) : loop<T, true, false>(begin, end, data, *s);
    else
      s->options.decoupled ? loop<T, false, true>(begin, end, data, *s) : loop<T, false, false>(begin, end, data, *s);
  }

 private:
  template <class T, bool Amsgrad, bool Decoupled>
  [[gnu::always_inline]] static void loop(int64_t begin, int64_t end, T* const* data, const AdamStep& s) {
    using C = ComputeType<T>;
    const AdamOptions& o = s.options;
    T* __restrict param = data[0];
    T* __restrict grad = data[1];
    T* __restrict mean = data[2];
    T* __restrict square = data[3];
    T* __restrict largest = data[4];
    const C decay = Decoupled ? C(1 - o.lr * o.weight_decay) : C(o.weight_decay), weight = C(1 - o.beta1), beta2 = C(o.beta2), rest = C(1 - o.beta2);
    const C correction = C(s.correction), eps = C(o.eps), size = C(-s.step_size), unscale = C(s.grad_scale), sign = o.maximize ? C(-1) : C(1);
    const bool near = weight < C(0.5), keeps_weight = o.weight_decay == 0, scaled = s.scaled;
    for (int64_t i = begin; i < end; ++i) {
      C g = C(grad[i]);
      if (scaled) {
        g = g / unscale;
        grad[i] = T(g);
      }
      g = g * sign;
      C p = C(param[i]);
      if (!keeps_weight) {
        if constexpr (Decoupled)
          p = p * decay;
        else
          g = g + decay * p;
      }
      const C m0 = C(mean[i]), step = g - m0;
      const C m = near ? m0 + weight * step : g - step * (1 - weight);
      const C v = C(square[i]) * beta2 + rest * g * g;
      C spread = v;
      if constexpr (Amsgrad) {
        const C old = C(largest[i]);
        spread = v <= old ? old : v;  // NaN wins
        largest[i] = T(spread);
      }
      mean[i] = T(m);
      square[i] = T(v);
      param[i] = T(p + size * m / (std::sqrt(spread) / correction + eps));
    }
  }
};

inline void fused_adam(const AdamLists& lists, const AdamOptions& options, const Tensor& grad_scale, const Tensor& found_inf, const char* name) {
  check_parallel(lists.params, {lists.grads, lists.exp_avgs, lists.exp_avg_sqs, lists.steps});
  if (options.amsgrad) check_parallel(lists.params, {lists.max_exp_avg_sqs});
  if (is_void_step(found_inf)) return;
  for (int64_t i = 0; i < lists.params.count; ++i) {
    const double step = number_in(lists.steps[i]);
    std::vector<Tensor> tensors = {lists.params[i], lists.grads[i], lists.exp_avgs[i], lists.exp_avg_sqs[i]};
    if (options.amsgrad) tensors.push_back(lists.max_exp_avg_sqs[i]);
    const AdamStep s{options, options.lr / (1 - std::pow(options.beta1, step)), std::sqrt(1 - std::pow(options.beta2, step)), scale_of(grad_scale),
                     grad_scale.defined()};
    run_fused<AdamKernel>(DenseGroup(std::move(tensors)), name, s);
  }
}

}  // namespace mt
