// ctc_loss: connectionist temporal classification; reductions over the batch.
#include "rules/nn/ctc.h"
#include "rules/nn/loss.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Reduces the losses of a batch as F.ctc_loss documents: a mean is over losses divided by their target lengths.
Tensor reduce_losses(Tensor loss, const Tensor& target_lengths, int64_t reduction, bool zero_infinity) {
  if (zero_infinity) loss = op<"where">(op<"eq">(loss, __builtin_inf()), 0, loss);
  if (reduction == 1) return op<"mean">(loss / op<"to.dtype">(op<"clamp_min">(target_lengths, 1), loss.dtype()));
  return reduce_loss(loss, reduction);
}

Tensor compute_unreduced_ctc_loss(const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths,
                                  int64_t blank, int64_t reduction, bool zero_infinity) {
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
  return reduce_losses(loss, lengths, reduction, zero_infinity);
}

MT_OP(OpDef{
    .schema = {"ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int "
               "reduction=Mean, bool zero_infinity=False) -> Tensor",
               "ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int "
               "reduction=Mean, bool zero_infinity=False) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the connectionist temporal classification loss of sequences without alignment.

It is the negative log-likelihood of a target sequence, summed over all alignments, under per-step
class probabilities (Graves et al., "Connectionist temporal classification", ICML 2006). A mean
first divides each loss by the length of its target (at least 1). ``torch.nn.functional.ctc_loss``
takes `reduction` by name.

Args:
    log_probs (Tensor): logarithms of probabilities; shape ``(T, N, C)`` or ``(T, C)``; float32 or
        float64.
    targets (Tensor): classes without `blank`; shape ``(N, S)`` or all in one vector.
    input_lengths (tuple of int or Tensor): steps of each sequence; at most T.
    target_lengths (tuple of int or Tensor): length of each target.
    blank (int): class of no label. Default: ``0``.
    reduction (int): 0 for each sequence, 1 for the mean, 2 for the sum. Default: ``1``.
    zero_infinity (bool): whether infinite losses, of targets too long for their input, and their
        gradients become 0. Default: ``False``.

Returns:
    Tensor: the loss; shape ``(N,)`` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when lengths, shapes or dtypes do not fit.

Example:
    >>> log_probs = torch.zeros(2, 1, 2).log_softmax(2)
    >>> F.ctc_loss(log_probs, torch.tensor([[1]]), (2,), (1,))  # -log(3/4): 3 of 4 paths
    tensor(0.2877))",
    .composite = [](const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths, int64_t blank,
                    int64_t reduction, bool zero_infinity) -> Tensor {
      return compute_unreduced_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
    },
    .autocast = Autocast::fp32,
    .overloads = {overload("Tensor",
                           {.composite = [](const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                                            const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) -> Tensor {
                              const std::vector<int64_t> inputs = lengths_of(input_lengths, "input_lengths"),
                                                         wanted = lengths_of(target_lengths, "target_lengths");
                              return compute_unreduced_ctc_loss(log_probs, targets, IntList(inputs.data(), int64_t(inputs.size())),
                                                                IntList(wanted.data(), int64_t(wanted.size())), blank, reduction,
                                                                zero_infinity);
                            },
                            .batch = batch_looped})},
});

}  // namespace
}  // namespace mt
