// _ctc_loss_backward: the gradient of _ctc_loss, by the backward variables (Graves et al. 2006, section 4.1, equation 16).
#include "rules/factory/factory.h"
#include "rules/nn/ctc.h"

namespace mt {
namespace {

constexpr auto compute_ctc_loss_backward = [](const Tensor& grad, const Tensor& log_probs, const Tensor& targets, IntList input_lengths,
                                              IntList target_lengths, const Tensor& neg_log_likelihood, const Tensor& log_alpha,
                                              int64_t blank, bool zero_infinity) -> Tensor {
  const CtcBatch c = ctc_batch(log_probs, targets, input_lengths, target_lengths, blank);
  const int64_t width = 2 * c.longest + 1;
  Tensor out = empty(log_probs.sizes(), log_probs.dtype(), log_probs.device());
  if (log_probs.is_meta()) return out;
  check(log_alpha.dim() == 3 && log_alpha.size(0) == c.batch && log_alpha.size(1) == c.steps && log_alpha.size(2) == width &&
            neg_log_likelihood.numel() == c.batch && (grad.numel() == c.batch || grad.numel() == 1),
        "_ctc_loss_backward: log_alpha of shape {} does not belong to these arguments", log_alpha.sizes());
  if (log_probs.dtype() != Dtype::float32 && log_probs.dtype() != Dtype::float64)
    not_implemented_for("ctc_loss_backward_cpu", log_probs.dtype());
  const Tensor x = dense(log_probs), alphas = dense_as(log_alpha, x.dtype()), losses = dense_as(neg_log_likelihood, x.dtype()),
               g = dense_as(grad, x.dtype());
  dispatch_floating(log_probs.dtype(), "ctc_loss_backward_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    constexpr C nothing = -C(__builtin_inf());
    fill_with(out, 0);
    for_rows(c.batch, c.steps * width, [&](int64_t b) {
      const int64_t n = target_lengths[b], steps = input_lengths[b], places = 2 * n + 1;
      const C loss = C(losses.data<T>()[b]), factor = C(g.template data<T>()[g.numel() == 1 ? 0 : b]);
      if (steps == 0 || (zero_infinity && loss == -nothing)) return;
      const T* alpha = alphas.data<T>() + b * c.steps * width;
      std::vector<C> beta(size_t(places), nothing), later(size_t(places), nothing), sums(size_t(c.labels));
      auto row = [&](const Tensor& t, int64_t step) { return t.data<T>() + (step * c.batch + b) * c.labels; };
      for (int64_t t = steps - 1; t >= 0; --t) {
        const T* p = row(x, t);
        for (int64_t s = 0; s < places; ++s) {
          const int64_t label = c.at(b, s, blank);
          C sum;
          if (t == steps - 1) {
            sum = s >= places - 2 ? C(0) : nothing;
          } else {
            const bool skips = s + 2 < places && s % 2 == 1 && c.at(b, s + 2, blank) != label;
            sum = log_sum_exp(later[size_t(s)], s + 1 < places ? later[size_t(s + 1)] : nothing, skips ? later[size_t(s + 2)] : nothing);
          }
          beta[size_t(s)] = sum + C(p[label]);
        }
        std::fill(sums.begin(), sums.end(), nothing);
        for (int64_t s = places - 1; s >= 0; --s) {
          C& sum = sums[size_t(c.at(b, s, blank))];
          sum = log_sum_exp(sum, C(alpha[t * width + s]) + beta[size_t(s)]);
        }
        T* to = row(out, t);
        for (int64_t k = 0; k < c.labels; ++k) to[k] = T((std::exp(C(p[k])) - std::exp(sums[size_t(k)] + loss - C(p[k]))) * factor);
        std::swap(beta, later);
      }
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor "
               "neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
               "_ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, "
               "Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_ctc_loss`` by the backward variables (Graves et al. 2006, equation 16).",
    .cpu = compute_ctc_loss_backward,
    .npu = {"CtcLossBackward"},
    .meta = compute_ctc_loss_backward,
    .overloads = {overload("Tensor", {.cpu = [](const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                                                const Tensor& input_lengths, const Tensor& target_lengths, const Tensor& loss,
                                                const Tensor& log_alpha, int64_t blank, bool zero_infinity) -> Tensor {
                             const std::vector<int64_t> inputs = lengths_of(input_lengths, "input_lengths"),
                                                        lengths = lengths_of(target_lengths, "target_lengths");
                             return compute_ctc_loss_backward(grad, log_probs, targets, IntList(inputs.data(), int64_t(inputs.size())),
                                                              IntList(lengths.data(), int64_t(lengths.size())), loss, log_alpha, blank,
                                                              zero_infinity);
                           }})},
});

}  // namespace
}  // namespace mt
