// ctc_loss: connectionist temporal classification; reductions over the batch.
#include "rules/ctc.h"
#include "rules/loss.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Losses of a batch, reduced as F.ctc_loss documents: a mean is over losses divided by the lengths of their targets.
Tensor reduced(Tensor loss, const Tensor& target_lengths, int64_t reduction, bool zero_infinity) {
  if (zero_infinity) loss = op<"where">(op<"eq">(loss, __builtin_inf()), 0, loss);
  if (reduction == 1) return op<"mean">(loss / op<"to.dtype">(op<"clamp_min">(target_lengths, 1), loss.dtype()));
  return reduce_loss(loss, reduction);
}

Tensor loss_of(const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths, int64_t blank,
               int64_t reduction, bool zero_infinity) {
  const bool is_batch = log_probs.dim() == 3;
  const Tensor batch = is_batch ? log_probs : op<"unsqueeze">(log_probs, 1);
  const Tensor flat = is_batch || targets.dim() != 1 ? targets : op<"unsqueeze">(targets, 0);
  Tensor loss = op<"_ctc_loss", Tensors<2>>(batch, flat, input_lengths, target_lengths, blank, zero_infinity)[0];
  Tensor lengths = empty({target_lengths.count}, Dtype::int64);
  std::copy_n(target_lengths.data, target_lengths.count, lengths.data<int64_t>());
  if (!loss.device().is_cpu()) lengths = op<"_to_copy">(lengths, Dtype::int64, nullptr, loss.device());
  if (!is_batch && reduction == 0) {
    if (zero_infinity) loss = op<"where">(op<"eq">(loss, __builtin_inf()), 0, loss);
    return op<"squeeze.dim">(loss, 0);
  }
  return reduced(loss, lengths, reduction, zero_infinity);
}

MT_OP(OpDef{
    .schema = {"ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int "
               "reduction=Mean, bool zero_infinity=False) -> Tensor",
               "ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int "
               "reduction=Mean, bool zero_infinity=False) -> Tensor"},
    .forms = function,
    .doc = "The negative log-likelihood of target sequences under per-step class probabilities (Graves et al. 2006).",
    .composite = [](const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths, int64_t blank,
                    int64_t reduction, bool zero_infinity) -> Tensor {
      return loss_of(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
    },
    .autocast = Autocast::fp32,
    .overloads = {overload("Tensor",
                           {.composite = [](const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                                            const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) -> Tensor {
                             const std::vector<int64_t> inputs = lengths_of(input_lengths, "input_lengths"),
                                                        wanted = lengths_of(target_lengths, "target_lengths");
                             return loss_of(log_probs, targets, IntList(inputs.data(), int64_t(inputs.size())),
                                            IntList(wanted.data(), int64_t(wanted.size())), blank, reduction, zero_infinity);
                           }})},
});

MT_BATCH("ctc_loss.Tensor", batch_looped);

}  // namespace
}  // namespace mt
