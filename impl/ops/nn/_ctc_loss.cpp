// _ctc_loss: the loss of each sequence of a batch, and the forward variables (Graves et al. 2006, section 4.1).
#include "rules/nn/ctc.h"

namespace mt {
namespace {

constexpr auto compute_ctc_loss = [](const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths,
                                     int64_t blank, bool) -> Tensors<2> {
  const CtcBatch c = ctc_batch(log_probs, targets, input_lengths, target_lengths, blank);
  const int64_t width = 2 * c.longest + 1;
  Tensor loss = empty({c.batch}, log_probs.dtype(), log_probs.device());
  Tensor log_alpha = empty({c.batch, c.steps, width}, log_probs.dtype(), log_probs.device());
  if (log_probs.is_meta()) return {{loss, log_alpha}};
  if (log_probs.dtype() != Dtype::float32 && log_probs.dtype() != Dtype::float64) not_implemented_for("ctc_loss_cpu", log_probs.dtype());
  const Tensor x = dense(log_probs);
  dispatch_floating(log_probs.dtype(), "ctc_loss_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    constexpr C nothing = -C(__builtin_inf());
    std::fill_n(log_alpha.data<T>(), log_alpha.numel(), T(nothing));
    for_rows(c.batch, c.steps * width, [&](int64_t b) {
      const int64_t n = target_lengths[b], steps = input_lengths[b], places = 2 * n + 1;
      if (steps == 0) {
        loss.data<T>()[b] = T(n == 0 ? C(0) : -nothing);
        return;
      }
      auto probability = [&](int64_t t, int64_t s) { return C(x.data<T>()[(t * c.batch + b) * c.labels + c.at(b, s, blank)]); };
      T* alpha = log_alpha.data<T>() + b * c.steps * width;
      alpha[0] = T(probability(0, 0));
      if (n > 0) alpha[1] = T(probability(0, 1));
      for (int64_t t = 1; t < steps; ++t) {
        const T* before = alpha;
        alpha += width;
        for (int64_t s = 0; s < places; ++s) {
          // A label may directly follow another one unless they are equal.
          const bool skips = s > 1 && s % 2 == 1 && c.at(b, s, blank) != c.at(b, s - 2, blank);
          const C sum = log_sum_exp(C(before[s]), s > 0 ? C(before[s - 1]) : nothing, skips ? C(before[s - 2]) : nothing);
          alpha[s] = T(sum + probability(t, s));
        }
      }
      const C likelihood = n == 0 ? C(alpha[0]) : log_sum_exp(C(alpha[places - 1]), C(alpha[places - 2]));
      loss.data<T>()[b] = T(-likelihood);
    });
  });
  return {{loss, log_alpha}};
};

MT_OP(OpDef{
    .schema = {"_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool "
               "zero_infinity=False) -> (Tensor, Tensor)",
               "_ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool "
               "zero_infinity=False) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the CTC loss of each sequence and the logarithms of the forward variables.

``torch.ctc_loss`` calls it (Graves et al., "Connectionist temporal classification", ICML 2006,
section 4.1).)",
    .cpu = compute_ctc_loss,
    .npu = {"CtcLoss"},
    .meta = compute_ctc_loss,
    .grad = {wrt("log_probs",
                 [](Grad g, In<"log_probs"> x, In<"targets"> targets, In<"input_lengths", IntList> inputs,
                    In<"target_lengths", IntList> lengths, In<"blank", int64_t> blank, In<"zero_infinity", bool> zero, Out<"result0"> loss,
                    Out<"result1"> alpha) {
                   return op<"_ctc_loss_backward">(g, x, targets, *inputs, *lengths, loss, alpha, *blank, *zero);
                 })},
    .grad_name = "CtcLossBackward0",
    .no_forward = true,
    .overloads = {overload("Tensor", {.cpu = [](const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                                                const Tensor& target_lengths, int64_t blank, bool zero_infinity) -> Tensors<2> {
                                        const std::vector<int64_t> inputs = lengths_of(input_lengths, "input_lengths"),
                                                                   lengths = lengths_of(target_lengths, "target_lengths");
                                        return compute_ctc_loss(log_probs, targets, IntList(inputs.data(), int64_t(inputs.size())),
                                                                IntList(lengths.data(), int64_t(lengths.size())), blank, zero_infinity);
                                      },
                                      .grad = {wrt("log_probs",
                                                   [](Grad g, In<"log_probs"> x, In<"targets"> targets, In<"input_lengths"> inputs,
                                                      In<"target_lengths"> lengths, In<"blank", int64_t> blank,
                                                      In<"zero_infinity", bool> zero, Out<"result0"> loss, Out<"result1"> alpha) {
                                                     return op<"_ctc_loss_backward.Tensor">(g, x, targets, inputs, lengths, loss, alpha,
                                                                                            *blank, *zero);
                                                   })},
                                      .grad_name = "CtcLossBackward1"})},
});

}  // namespace
}  // namespace mt
