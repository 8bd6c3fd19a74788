// batch_norm_update_stats: the mean and variance of each channel; updates the running statistics.
#include "core/messages.h"
#include "rules/nn/batch_norm.h"

namespace mt {
namespace {

constexpr auto compute_batch_norm_update_stats = [](const Tensor& input, const Tensor& mean, const Tensor& var,
                                                    double momentum) -> Tensors<2> {
  check(input.dim() > 1, messages::expected_at_least_2_dimensions, input.dim());
  check_channel_parameters(input, Tensor(), Tensor(), mean, var);
  const Dtype kept = statistics_dtype(input, Tensor(), Tensor(), mean, var);
  if (input.is_meta()) return {{empty({input.size(1)}, kept, input.device()), empty({input.size(1)}, kept, input.device())}};
  return batch_statistics(input, mean, var, momentum, kept);
};

MT_OP(OpDef{
    .schema = {"batch_norm_update_stats(Tensor input, Tensor? running_mean, Tensor? running_var, float momentum) -> "
               "(Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes the mean and the biased variance of each channel, and moves the running ones.

The running statistics, if given, become (1 - momentum) * running + momentum * batch in place,
with the unbiased variance.

Args:
    input (Tensor): ``(N, C, ...)``; floating.
    running_mean, running_var (Tensor, optional): running statistics, ``(C,)``.
    momentum (float): the part of the batch's statistics.

Returns:
    tuple of Tensor: mean and variance, ``(C,)`` each.

Example:
    >>> torch.batch_norm_update_stats(torch.tensor([[1.0], [3.0]]), None, None, 0.1)
    (tensor([2.]), tensor([1.])))",
    .cpu = compute_batch_norm_update_stats,
    .meta = compute_batch_norm_update_stats,
});

}  // namespace
}  // namespace mt
