// Checks of ctc_loss's arguments.
#include "rules/nn/ctc.h"
#include "core/messages.h"

namespace mt {

CtcBatch ctc_batch(const Tensor& log_probs, const Tensor& targets, IntList input_lengths, IntList target_lengths, int64_t blank) {
  constexpr const char* who = "(while checking arguments for ctc_loss_allocate_outputs)";
  check(log_probs.numel() > 0, "log_probs tensor must not be empty");
  check(log_probs.dim() == 3, "Expected 3-dimensional tensor, but got {}-dimensional tensor for argument #1 'log_probs' {}",
        log_probs.dim(), who);
  check(targets.dim() >= 1 && targets.dim() <= 2, "Expected 1 to 2 dimensions, but got {}-dimensional tensor for argument #2 'targets' {}",
        targets.dim(), who);
  CtcBatch c;
  c.steps = log_probs.size(0), c.batch = log_probs.size(1), c.labels = log_probs.size(2);
  check(blank >= 0 && blank < c.labels, "blank must be in label range");
  check(input_lengths.count == c.batch, "input_lengths must be of size batch_size");
  check(target_lengths.count == c.batch, "target_lengths must be of size batch_size");
  int64_t total = 0;
  for (int64_t b = 0; b < c.batch; ++b) {
    const int64_t n = target_lengths[b];
    check(n >= 0, "Expected target_lengths to have value at least 0, but got value {} {}", n, who);
    c.starts.push_back(targets.dim() == 1 ? total : b * targets.size(1));
    total = int64_t(uint64_t(total) + uint64_t(n));
    c.longest = std::max(c.longest, n);
  }
  if (targets.dim() == 1) {  // the sum may have wrapped: no target is longer than all together
    check(targets.size(0) == total && c.longest <= total, messages::ctc_targets_size_mismatch, total, targets.size(0), who);
  } else {
    check(targets.size(0) == c.batch, messages::ctc_targets_size_mismatch, c.batch, targets.size(0), who);
    check(targets.size(1) >= c.longest,
          "Expected tensor to have size at least {} at dimension 1, but got size {} for argument #2 'targets' {}", c.longest,
          targets.size(1), who);
  }
  for (int64_t n : input_lengths) {
    check(n >= 0, "Expected input_lengths to have value at least 0, but got value {} {}", n, who);
    check(n <= c.steps, "Expected input_lengths to have value at most {}, but got value {} {}", c.steps, n, who);
  }
  if (targets.is_meta()) return c;
  c.targets = dense_as(targets, Dtype::int64);
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t i = 0; i < target_lengths[b]; ++i) {
      const int64_t label = c.targets.data<int64_t>()[c.starts[size_t(b)] + i];
      check(label >= 0 && label < c.labels, "Expected targets to have values in [0, {}), but got value {} {}", c.labels, label, who);
    }
  return c;
}

}  // namespace mt
