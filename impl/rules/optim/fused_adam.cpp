// One step of Adam or AdamW over lists of tensors.
#include "rules/optim/fused_adam.h"

#include <cmath>

namespace mt {
namespace {

// The numbers of one parameter's step, rounded to the compute type before the loop starts.
struct AdamStep {
  AdamOptions options;
  double step_size, correction, grad_scale;
  bool scaled;
};

struct AdamKernel {
  template <class T>
  [[gnu::always_inline]] static void run(int64_t begin, int64_t end, T* const* data, const AdamStep* s) {
    s->options.amsgrad ? loop<T, true>(begin, end, data, *s) : loop<T, false>(begin, end, data, *s);
    if (!s->scaled) return;
    T* grad = data[1];
    const ComputeType<T> unscale(s->grad_scale);
    for (int64_t i = begin; i < end; ++i) grad[i] = T(ComputeType<T>(grad[i]) / unscale);
  }

 private:
  // Options that do not change during the loop become factors where possible (1 for none, or a sign) instead of template parameters, each
  // of which would double the code.
  template <class T, bool Amsgrad>
  [[gnu::always_inline]] static void loop(int64_t begin, int64_t end, T* const* data, const AdamStep& s) {
    using C = ComputeType<T>;
    const AdamOptions& o = s.options;
    T* __restrict param = data[0];
    const T* __restrict grad = data[1];
    T* __restrict mean = data[2];
    T* __restrict square = data[3];
    T* __restrict largest = data[4];
    const C shrink = o.decoupled ? C(1 - o.lr * o.weight_decay) : C(1), decay = o.decoupled ? C(0) : C(o.weight_decay),
            weight = C(1 - o.beta1);
    const C beta2 = C(o.beta2), rest = C(1 - o.beta2), correction = C(s.correction), eps = C(o.eps), size = C(-s.step_size);
    const C unscale = s.scaled ? C(s.grad_scale) : C(1), sign = o.maximize ? C(-1) : C(1);
    // Interpolates from the nearer end, as lerp does.
    const bool near = weight < C(0.5), decays = decay != 0;
    const C stride = near ? weight : weight - 1;
    for (int64_t i = begin; i < end; ++i) {
      const C p = C(param[i]) * shrink;
      C g = C(grad[i]) / unscale * sign;
      if (decays) g = g + decay * p;
      const C m0 = C(mean[i]);
      const C m = (near ? m0 : g) + stride * (g - m0);
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

}  // namespace

void fused_adam(const AdamLists& lists, const AdamOptions& options, const Tensor& grad_scale, const Tensor& found_inf, const char* name) {
  check_equal_lengths(lists.params, {lists.grads, lists.exp_avgs, lists.exp_avg_sqs, lists.steps});
  if (options.amsgrad) check_equal_lengths(lists.params, {lists.max_exp_avg_sqs});
  if (must_skip_step(found_inf)) return;
  for (int64_t i = 0; i < lists.params.count; ++i) {
    const double step = step_number_in(lists.steps[i]);
    std::vector<Tensor> tensors = {lists.params[i], lists.grads[i], lists.exp_avgs[i], lists.exp_avg_sqs[i]};
    if (options.amsgrad) tensors.push_back(lists.max_exp_avg_sqs[i]);
    const AdamStep s{options, options.lr / (1 - std::pow(options.beta1, step)), std::sqrt(1 - std::pow(options.beta2, step)),
                     scale_of(grad_scale), grad_scale.defined()};
    run_fused<AdamKernel>(DenseGroup(std::move(tensors)), name, s);
  }
}

}  // namespace mt
